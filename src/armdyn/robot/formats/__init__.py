"""Robot files: readers, writers, and the stages that all formats share."""
