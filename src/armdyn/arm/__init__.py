"""Arms, their functions, and how they are loaded and saved."""
