"""A standing attack on armdyn: `python -m fuzz`, which `make fuzz` runs.

A case is determined by the name of its target and its seed, by nothing else. A module of a target
has two functions: ``case(rng, target)`` draws a case from a `random.Random`, and ``run(case)``
tries it in an empty working folder. An `ArmdynError` that leaves `run` is a refusal,
which is right for
odd input; every other exception is a failure. Wrong results raise `Finding`.

CONTRIBUTING.md says how to run it, and how to add a target.
"""
