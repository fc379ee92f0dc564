"""A cluster of two worker processes on this machine, and how to lose one of them."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def two_workers() -> Generator[Any]:
    """A client of two worker processes, without pages and with few resources."""
    distributed = pytest.importorskip("distributed")
    made = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        memory_limit="1.5GB",
        silence_logs=logging.CRITICAL,
    )
    with made, distributed.Client(made) as client:
        yield client


def lose_a_worker(client: Any) -> int:
    """Kill one worker process by its id; its nanny starts another."""
    process = next(iter(client.run(os.getpid).values()))
    os.kill(process, signal.SIGKILL)
    return process
