"""From a robot and a row of the table to a program: methods by name, tracing, choice, caches."""
