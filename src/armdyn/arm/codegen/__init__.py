"""C files for controllers, and the text of their headers."""
