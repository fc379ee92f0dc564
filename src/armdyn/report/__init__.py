"""Reports: tables, checks and comparisons of arms."""
