"""What people look at: tables, checks and comparisons made from arms."""
