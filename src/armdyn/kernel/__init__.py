"""The compiler: turns a program into machine code for the local CPU."""
