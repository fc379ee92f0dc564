"""From samples to signals: equal steps, zero-phase filters, derivatives."""
