"""The five papers that armdyn follows, statement by statement: one file a paper."""
