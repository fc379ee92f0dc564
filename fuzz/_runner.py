"""The runner: gives blocks of cases to worker processes, watches them, and keeps the state."""

from __future__ import annotations

import json
import mmap
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from fuzz._targets import target as row
from fuzz._worker import HEARTBEAT

MILLION = 1_000_000
# Seconds of work in a block: short, so that runs end in time, and long beside its messages.
BLOCK = 1.0
LARGEST_BLOCK = 5_000
# A worker above this memory [kB] is replaced: functions of every new arm stay in memory.
MEMORY = 1_500_000
# Seconds between two looks at a worker, between two savings of the state, and to end.
LOOK, SAVE, LEAVE = 0.25, 2.0, 2.0


class State:
    """Counts, failures and the next seeds of all targets, in a file that is replaced as a whole."""

    def __init__(self, folder: Path, seed: int, resume: bool) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "state.json"
        self.data: dict[str, Any] = {"seed": seed, "cpu": 0.0, "targets": {}}
        if resume and self.path.exists():
            self.data = json.loads(self.path.read_text())

    def of(self, name: str) -> dict[str, Any]:
        """Return the record of a target."""
        fresh = {
            "next": self.data["seed"], "open": [], "cases": 0, "refused": 0, "cpu": 0.0,
            "slowest": [0.0, -1], "failures": [],
        }  # fmt: skip
        return self.data["targets"].setdefault(name, fresh)

    def save(self) -> None:
        """Write the state: the old file or the new one is there at any time."""
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.data, indent=1))
        new.replace(self.path)


class Runner:
    """Workers, and what they do next."""

    def __init__(
        self, names: list[str], state: State, *, seconds: float | None, cases: int | None,
        workers: int, patience: float,
    ) -> None:  # fmt: skip
        self.names, self.state, self.patience, self.n_workers = names, state, patience, workers
        self.end = None if seconds is None else time.monotonic() + seconds
        weights = {name: row(name).planned for name in names}
        total = MILLION if cases is None else cases
        self.planned = {
            name: max(1, round(total * weight / sum(weights.values())))
            for name, weight in weights.items()
        }
        self.limited = cases is not None or seconds is None
        self.stop = False
        self.errors: list[str] = []
        self._lock = threading.Lock()
        self._given = {name: state.of(name)["cases"] for name in names}
        self._again = [(name, *block) for name in names for block in state.of(name)["open"]]
        for name, begin, end in self._again:
            self._given[name] += end - begin
        self._saved = 0.0
        self._rates: dict[str, float] = {}  # cases a second, in the last block of a target

    def run(self, show: Any) -> None:
        """Try cases until time or cases are used up; `show` is called now and then."""
        threads = [threading.Thread(target=self._work) for _ in range(self.n_workers)]
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads):
                threads[0].join(LOOK) if threads[0].is_alive() else time.sleep(LOOK)
                show()
        except KeyboardInterrupt:
            pass
        finally:
            self.stop = True
            for thread in threads:
                thread.join()
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.state.data["cpu"] += used.ru_utime + used.ru_stime
            self.state.save()

    def _block(self) -> tuple[str, int, int] | None:
        """Return the next block: of the target that is farthest behind its plan."""
        with self._lock:
            if self.stop or (self.end is not None and time.monotonic() > self.end):
                return None
            if self._again:
                return self._again.pop()
            left = {n: self.planned[n] - self._given[n] for n in self.names}
            names = [n for n in self.names if left[n] > 0 or not self.limited]
            if not names:
                return None
            name = min(names, key=lambda n: self._given[n] / self.planned[n])
            record = self.state.of(name)
            size = max(1, min(int(self._rates.get(name, 1.0) * BLOCK), LARGEST_BLOCK))
            size = min(size, left[name]) if self.limited else size
            begin, record["next"] = record["next"], record["next"] + size
            record["open"].append([begin, begin + size])
            self._given[name] += size
            return name, begin, begin + size

    def _work(self) -> None:
        """Give blocks to one worker after the other."""
        worker = None
        try:
            while block := self._block():
                name, blocks = block[0], [block[1:]]
                while blocks and not self.stop:
                    begin, end = blocks.pop()
                    worker = worker or Worker()
                    answer, seed, what = worker.answer(name, begin, end, self)
                    if answer is not None:
                        self._take(name, answer, (begin, end), [])
                        worker = worker.close() if answer["memory"] > MEMORY else worker
                    elif seed >= 0:  # the cases before it gave no answer: they are tried again
                        left = [(a, b) for a, b in ((begin, seed), (seed + 1, end)) if a < b]
                        failed = {"cases": 1, "failures": [{"seed": seed, "what": what}]}
                        self._take(name, failed, (begin, end), left)
                        blocks += left
                        worker = worker.close()
                    elif not self.stop:
                        raise RuntimeError(f"a worker ended between cases of {name}: {what}")
        except Exception as error:
            self.errors.append(f"{type(error).__name__}: {error}")
            self.stop = True
        finally:
            if worker is not None:
                worker.close()

    def _take(
        self, name: str, answer: dict[str, Any], block: tuple[int, int],
        left: list[tuple[int, int]],
    ) -> None:  # fmt: skip
        """Add an answer to the state; of its block, these parts are left to do."""
        with self._lock:
            record = self.state.of(name)
            for key in ("cases", "refused", "cpu"):
                record[key] += answer.get(key, 0)
            if answer.get("cpu"):
                self._rates[name] = answer["cases"] / answer["cpu"]
            record["failures"] += answer["failures"]
            record["slowest"] = max(record["slowest"], list(answer.get("slowest", [0.0, -1])))
            record["open"].remove(list(block))
            record["open"] += map(list, left)
            if time.monotonic() > self._saved + SAVE:
                self.state.save()
                self._saved = time.monotonic()


def busy() -> float:
    """Return how many times longer work takes than on an idle machine."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class Worker:
    """A worker process with its pipes, heartbeat and scratch folder."""

    def __init__(self) -> None:
        memory = "/dev/shm"
        fast = memory if os.access(memory, os.W_OK) else None  # files are flushed to disk elsewhere
        self.folder = Path(tempfile.mkdtemp(prefix="armdyn-fuzz-", dir=fast))
        beat = self.folder / "beat"
        beat.write_bytes(HEARTBEAT.pack(-1, 0.0))
        scratch = self.folder / "scratch"
        scratch.mkdir()
        with beat.open("r+b") as file:
            self.beat = mmap.mmap(file.fileno(), HEARTBEAT.size)
        self.errors = (self.folder / "stderr").open("w+")
        self.children = 0.0
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fuzz._worker", str(beat), str(scratch)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
            start_new_session=True, cwd=Path(__file__).parents[1],
        )  # fmt: skip

    def answer(
        self, name: str, start: int, end: int, runner: Runner
    ) -> tuple[dict[str, Any] | None, int, str]:
        """Return the answer to a block; None, the seed and a reason if the worker failed at it."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            print(json.dumps({"target": name, "seeds": [start, end]}), file=self.process.stdin,
                  flush=True)  # fmt: skip
        except BrokenPipeError:  # there will be no answer
            pass
        before = b""
        while not select.select([self.process.stdout], [], [], LOOK)[0]:
            if runner.stop:
                return None, -1, "stopped"
            before, now = self.beat[:], before
            if before != now:  # between two cases, or half written
                continue
            seed, since = HEARTBEAT.unpack(now)
            if seed >= 0 and time.monotonic() - since > runner.patience * busy():
                return None, seed, f"hang: more than {runner.patience:g} s"
        line = self.process.stdout.readline()
        if line.endswith("\n"):
            answer = json.loads(line)
            answer["cpu"] += answer["children"] - self.children
            self.children = answer["children"]
            return answer, -1, ""
        status = self._kill()
        seed = HEARTBEAT.unpack(self.beat[:])[0]
        self.errors.seek(0)
        told = self.errors.read()[-1500:]
        why = f"crash: {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        return None, seed, f"{why}\n{told}"

    def _kill(self) -> int:
        """End the worker, if it has not ended, and all that it started; return its status."""
        with suppress(ProcessLookupError):
            os.killpg(
                self.process.pid, signal.SIGKILL
            )  # its number is its own until it is waited for
        return self.process.wait()

    def close(self) -> None:
        """End the worker and all that it started, and remove its folder."""
        assert self.process.stdin is not None and self.process.stdout is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()  # an idle worker ends, and waits for what it started
        try:
            self.process.wait(LEAVE)
        except subprocess.TimeoutExpired:
            self._kill()
        self.process.stdout.close()
        self.errors.close()
        shutil.rmtree(self.folder, ignore_errors=True)
