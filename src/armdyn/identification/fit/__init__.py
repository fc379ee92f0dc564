"""The regression: columns, factors, weights, priors, friction."""
