"""Fleets of arms: logs of many arms and days, a row of results for each, and what drifts."""
