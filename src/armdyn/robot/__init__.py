"""Robot descriptions: their classes, file formats, and the constants that algorithms use."""
