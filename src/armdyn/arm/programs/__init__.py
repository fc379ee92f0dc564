"""Programs from a robot and a row of the table: methods by name, tracing, choice, caches."""
