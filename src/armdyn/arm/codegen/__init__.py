"""C files for controllers, and what their headers say."""
