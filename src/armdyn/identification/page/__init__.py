"""The report of an identification: one HTML page."""
