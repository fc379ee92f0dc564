"""Programs of an arm, by quantity, method and options; kept in memory and on disk."""
