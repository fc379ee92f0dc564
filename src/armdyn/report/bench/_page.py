"""A benchmark as a page of Markdown."""

from __future__ import annotations

from collections.abc import Mapping

from armdyn.report.bench._results import Benchmark
from armdyn.report.bench._tables import grids

HEAD = """\
# Benchmarks

Written by `make bench`; change nothing here by hand. Times depend on the machine and on who else
uses it. So whatever is compared was run in turn, round after round in one process, the shortest
time of each was kept, and what is worth remembering are ratios and fractions. Friction is left out,
since others do not have it. Every other library's answers were compared with ours before it was
timed; one that disagrees is named below and not timed. Our batches are calls of the public
function, checks of inputs and results included, into the arrays that a first call returned; others'
loops are not charged for any, and leave their results in the cache, where those of the next state
replace them: the like of that is our batch in the cache. A large batch has to go to memory as well.

The multiply limit is the least time that the multiplying instructions of a function can take,
measured by a program of nothing else, in turn with the function, since clocks change. A function
that writes many numbers for few multiplications is far from it whatever is done: its rows alone
take as long as stands beside it, measured by a program that reads and writes as many numbers and
computes nothing. The last column counts both.
"""


def page(benchmark: Benchmark, plot: str | None) -> str:
    """Return the page.

    Args:
        benchmark: what was measured.
        plot: name of the picture in the folder of the page.
    """
    parts = [HEAD, _pairs("Machine", benchmark.machine)]
    if benchmark.peers:
        told = {k: f"{v}: {benchmark.peer_notes[k]}" for k, v in benchmark.peers.items()}
        parts.append(_pairs("Compared with", told))
    said = [*benchmark.disagreements, *benchmark.notes]
    if said:
        parts.append("## Not measured\n\n" + "\n".join(f"- {words}" for words in said) + "\n")
    if plot:
        parts.append(f"![Times of armdyn and others]({plot})\n")
    parts += [grid.markdown() for grid in grids(benchmark)]
    return "\n".join(parts)


def _pairs(title: str, pairs: Mapping[str, str]) -> str:
    rows = [f"- {key}: {value}" for key, value in pairs.items()]
    return f"## {title}\n\n" + "\n".join(rows) + "\n"
