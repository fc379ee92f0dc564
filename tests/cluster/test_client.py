"""Clients that cannot be used are refused, by errors that say why."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import cluster as _cluster
from armdyn.cluster import checked_client

distributed = pytest.importorskip("distributed")

HERE = importlib.metadata.version("armdyn")


class FakeClient(distributed.Client):
    """A client whose workers answer what a test wants; it never connects."""

    def __init__(self, answers: dict[str, Any], status: str = "running") -> None:
        self.answers, self.status = answers, status

    @property
    def asynchronous(self) -> bool:
        return False

    def scheduler_info(self, **_: Any) -> dict[str, Any]:
        return {"workers": self.answers}

    def run(self, function: Any, *arguments: Any, **_: Any) -> dict[str, Any]:
        assert function(*arguments) == HERE
        return self.answers

    def submit(self, *_: Any, **__: Any) -> Any:
        class Waiting:
            def result(self, timeout: float) -> None:
                raise TimeoutError

        return Waiting()

    def __repr__(self) -> str:
        return "<FakeClient>"

    def __del__(self) -> None:
        pass


BAD = {
    "an address": (
        "tcp://127.0.0.1:8786",
        "`client` is 'tcp://127.0.0.1:8786', expected a distributed.Client, such as "
        "distributed.Client('tcp://scheduler:8786').",
    ),
    "closed": (
        FakeClient({}, "closed"),
        "`client` is closed, expected a running distributed.Client: make a new one.",
    ),
    "another version": (
        FakeClient({"tcp://a:1": HERE, "tcp://b:2": "0.0.7"}),
        f"worker tcp://b:2 of `client` has armdyn 0.0.7, but here it is {HERE}: results could "
        "differ. Install the same version on all workers.",
    ),
    "no armdyn": (
        FakeClient({"tcp://a:1": importlib.metadata.PackageNotFoundError("armdyn")}),
        f"worker tcp://a:1 of `client` has no armdyn (here it is {HERE}): No package metadata was "
        "found for armdyn. Install the same version on all workers.",
    ),
    "no workers": (
        FakeClient({}),
        "`client` has no workers, and none came within 30 s; start some.",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_clients_are_refused(what: str) -> None:
    client, text = BAD[what]
    with pytest.raises(armdyn.InputError) as caught:
        checked_client(client)
    assert str(caught.value) == text
    assert caught.value.argument == "client"


def test_a_client_with_the_same_version_is_taken() -> None:
    assert checked_client(None) is None
    assert checked_client(FakeClient({"tcp://a:1": HERE})) is not None


def test_a_closed_client_is_refused_before_any_work() -> None:
    with distributed.LocalCluster(
        n_workers=1, processes=False, dashboard_address="127.0.0.1:0"
    ) as cluster:
        client = distributed.Client(cluster)
        client.close()
        arm = armdyn.load("planar2")
        for call in (
            lambda: armdyn.identify(arm, "no.csv", client=client),
            lambda: armdyn.simulate(arm, np.zeros((2, 2)), client=client),
            lambda: armdyn.excite(arm, client=client),
        ):
            with pytest.raises(armdyn.InputError, match="`client` is closed, expected a running"):
                call()


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cluster, "PACKAGE", "not_distributed")
    with pytest.raises(armdyn.MissingExtraError) as caught:
        checked_client("tcp://127.0.0.1:8786")
    assert str(caught.value) == (
        "work on a cluster needs the package 'not_distributed', which is not installed: "
        "pip install 'armdyn[cluster]'."
    )


LOST = distributed.comm.CommClosedError("Connection reset by peer")


def test_a_worker_whose_connection_was_lost_is_asked_until_it_answers() -> None:
    class Restarting(FakeClient):
        asked = 0

        def run(self, function: Any, *arguments: Any, **_: Any) -> dict[str, Any]:
            self.asked += 1
            return self.answers if self.asked < 3 else {"tcp://a:1": HERE}

    client = Restarting({"tcp://a:1": HERE, "tcp://b:2": LOST})
    assert checked_client(client) is not None
    assert client.asked == 3


def test_a_worker_that_never_answers_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armdyn.cluster.PATIENCE", 0.2)
    with pytest.raises(
        armdyn.InputError, match="worker tcp://b:2 of `client` did not answer"
    ) as error:
        checked_client(FakeClient({"tcp://a:1": HERE, "tcp://b:2": LOST}))
    assert "no armdyn" not in str(error.value)
