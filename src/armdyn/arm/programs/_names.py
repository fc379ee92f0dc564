"""Names of methods that mean a choice or a form instead of a paper's formulas."""

AUTO = "auto"
ROLLED = "rolled"
