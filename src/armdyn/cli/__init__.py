"""The command line: parse, call the public API, print."""

from armdyn.cli._app import main

__all__ = ["main"]
