"""One thread of OpenBLAS while an arm is identified, and the former number afterwards."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from armdyn import blas
from armdyn.identification.identify import identify
from support.identification import recorded, small_arm


class Threads:
    """A library whose number of threads can be set."""

    def __init__(self) -> None:
        self.number, self.history = 3, list[int]()

    def get(self) -> int:
        return self.number

    def put(self, number: int) -> None:
        self.number = number
        self.history.append(number)


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Threads:
    library = Threads()
    monkeypatch.setattr(blas, "_thread_functions", lambda: (library.get, library.put))
    return library


def test_the_number_of_threads_is_restored_after_the_last_computation(threads: Threads) -> None:
    together = Barrier(4)

    def compute(_: int) -> int:
        with blas.one_blas_thread():
            together.wait()
            return threads.number

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(compute, range(4))) == [1] * 4
    assert threads.history == [1, 3]


def test_the_number_of_threads_is_restored_after_an_error(threads: Threads) -> None:
    with pytest.raises(ZeroDivisionError), blas.one_blas_thread():
        _ = 1 / 0
    assert threads.history == [1, 3]


def test_identification_takes_one_thread(threads: Threads) -> None:
    seen: list[int] = []
    identify(small_arm(), recorded(small_arm()), progress=lambda *_: seen.append(threads.number))
    assert set(seen) == {1} and threads.number == 3


def test_other_libraries_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "_thread_functions", lambda: None)
    with blas.one_blas_thread():
        pass


def test_the_functions_of_numpy_work() -> None:
    functions = blas._thread_functions()
    if functions is None:
        pytest.skip("NumPy has another linear algebra library")
    before = functions[0]()
    with blas.one_blas_thread():
        assert functions[0]() == 1
    assert functions[0]() == before
