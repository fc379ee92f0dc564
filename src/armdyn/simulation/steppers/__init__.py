"""Methods of integration."""
