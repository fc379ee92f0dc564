"""Compare counts that `armdyn-papers claims` extends by polynomials with measured ones, for all n.

Takes some minutes. Prints every series that differs, and exits with status 1 if there is one.
"""

from __future__ import annotations

import sys
import time

from armdyn_papers.claims.claim import Contender
from armdyn_papers.claims.series import TRIES, series
from armdyn_papers.claims.trials import CLAIMS


def main() -> int:
    """Compare all series of all claims."""
    contenders: list[tuple[Contender, int]] = []
    for claim in CLAIMS:
        for value in vars(claim).values():
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, Contender) and item.measure:
                    asked = (item, claim.type if item.row is None else item.row.type)
                    if asked not in contenders:
                        contenders.append(asked)
    failed = compared = 0
    start = time.perf_counter()
    for (contender, type), stage in ((c, s) for c in contenders for s in TRIES[1:]):
        found = series(contender, type, stage, every=False)
        measured = series(contender, type, stage, every=True)
        if found is None or measured is None:
            continue
        compared += len(measured)
        wrong = [n for n in measured if found[n] != measured[n]]
        failed += bool(wrong)
        mark = f"DIFFERS at {wrong}" if wrong else "agrees"
        print(f"{contender.measure} type {type} {stage}: {mark}", flush=True)
    took = time.perf_counter() - start
    print(f"{compared} counts compared, {failed} series differ ({took:.0f} s)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
