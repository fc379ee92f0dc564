"""Text files of columns: their layout, cells that are no numbers, and rows of numbers."""
