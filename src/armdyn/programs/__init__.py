"""Programs of an arm: (robot, quantity, method, options) to a program, kept in memory and on disk."""
