"""``python -m armdyn`` is the command line."""

from armdyn.cli.app import main

main()
