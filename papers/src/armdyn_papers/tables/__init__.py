"""The operation counts that the papers print, one file a paper, compared with measured counts."""
