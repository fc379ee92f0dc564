"""Stands for Pinocchio in the emulator: a test that asks it for an answer is skipped."""

import pytest


def __getattr__(name: str) -> object:
    if name.startswith("__"):
        raise AttributeError(name)
    pytest.skip("Pinocchio is not installed in the emulator")
