"""Options for work on a cluster, or with several processes on this machine."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from armdyn.cli.option_names import option
from armdyn.cluster import PACKAGE, WHY, local_client
from armdyn.errors import InputError, MissingExtraError, shown


@dataclass(frozen=True)
class ClusterOptions:
    """Processes of this machine, or workers of a cluster."""

    workers: int | None = option("Number of local processes.", "N", shown="this one")
    client: str | None = option("Address of a Dask scheduler.", "ADDRESS", name="--cluster")


# Seconds that a scheduler has to answer.
PATIENCE = 10.0


@contextmanager
def opened_client(options: ClusterOptions) -> Generator[Any]:
    """Return a client of a cluster, or of processes that end with it; None without both options."""
    address, workers = options.client, options.workers
    if address is None and workers is None:
        yield None
        return
    if address is not None and workers is not None:
        raise InputError("--cluster and --workers both say who does the work: give one.")
    if workers is not None:
        with local_client(workers) as client:
            yield client
        return
    if importlib.util.find_spec(PACKAGE) is None:
        raise MissingExtraError(PACKAGE, "cluster", WHY)
    with _connected(importlib.import_module(PACKAGE), str(address)) as client:
        yield client


def _connected(distributed: Any, address: str) -> Any:
    try:
        return distributed.Client(address, timeout=PATIENCE)
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            f"no Dask scheduler answers at {shown(address)} ({type(error).__name__}); expected an "
            "address such as tcp://host:8786.",
            argument="client",
        ) from None
