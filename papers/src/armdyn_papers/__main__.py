"""`python -m armdyn_papers`."""

from armdyn_papers.app import main

main()
