"""Logs of moving arms: reading and writing files, and preparing samples to fit a model to."""
