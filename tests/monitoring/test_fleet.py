"""A fleet of small arms: rows, drift, resuming, parts, and wrong input."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import Arm, ArmdynError, FileError, Fleet, InputError, Log
from armdyn.monitoring.drift import DEVIATIONS
from armdyn.monitoring.sources import LogSource, find_logs
from armdyn.monitoring.work import units_of
from support.identification import recorded, small_arm

MIDNIGHT = 1_767_225_600.0  # 2026-01-01 UTC
DAY = 86400.0
QUICK = {"physical": False, "friction": True, "rotor": False, "delay": 0.0, "cutoff": 10.0}


def worn(factor: float) -> Arm:
    """The small arm with more Coulomb friction in its second joint."""
    first, second, third = small_arm().robot.joints
    worn_one = replace(second, coulomb=second.coulomb * factor)
    return Arm(replace(small_arm().robot, joints=[first, worn_one, third]))


def write(folder: Path, name: str, *, start: float, seed: int, factor: float = 1.0) -> Path:
    log = recorded(worn(factor), duration=10.0, rate=100.0, seed=seed)
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    Log(log.t + start, log.q, tau=log.tau, joint_names=log.joint_names).save(path)
    return path


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three arms of two days; the second has more friction on the second day."""
    folder = tmp_path_factory.mktemp("fleet") / "logs"
    for k, arm in enumerate(("a", "b", "c")):
        for day in range(2):
            factor = 1.6 if arm == "b" and day == 1 else 1.0
            start = MIDNIGHT + day * DAY
            write(folder, f"{arm}/run{day}.npz", start=start, seed=10 * k + day, factor=factor)
    return folder


def run(logs: Path, out: Path | None = None, **options: Any) -> Fleet:
    return armdyn.fleet(f"{logs}/*/", small_arm(), out=out, **QUICK, **options)


@pytest.fixture(scope="module")
def whole(logs: Path) -> Fleet:
    return run(logs, logs.parent / "whole.csv")


@pytest.fixture(scope="module")
def table(whole: Fleet, logs: Path) -> bytes:
    """The table of a run that nothing disturbed."""
    return (logs.parent / "whole.csv").read_bytes()


def test_rows_are_arms_and_days_with_their_results(whole: Fleet, logs: Path) -> None:
    days = ["2026-01-01", "2026-01-02"]
    assert [(row["arm"], row["day"]) for row in whole.rows] == [(a, d) for a in "abc" for d in days]
    assert {row["day_from"] for row in whole.rows} == {"stamps"}
    one = armdyn.identify(small_arm(), logs / "a" / "run0.npz", **QUICK)
    row = whole.rows[0]
    assert row["verdict"] == one.verdict
    assert row["total_error"] == one.total_error
    assert row["torque_error"] == one.torque_error.tolist()
    assert row["expected_error"] == one.expected_error.tolist()
    assert row["gravity_error"] == one.gravity_error.tolist()
    columns = whole.columns()
    assert columns["friction_coulomb_joint2"][2] == pytest.approx(0.9, abs=0.1)
    assert columns["friction_coulomb_joint2"][3] == pytest.approx(0.9 * 1.6, abs=0.1)


def test_the_arm_with_more_friction_is_named_and_no_other(whole: Fleet) -> None:
    assert whole.drifting == ("b",)
    drift = whole.rows[3]
    assert drift["since"] == "2026-01-01"
    assert len(drift["drift"]) == 1 and "friction of joint2 changed by +" in drift["drift"][0]
    changed = drift["changes"]["friction"]
    assert changed["exceeds"] == [False, True, False]
    assert changed["size"][1] == pytest.approx(0.6 * 0.9, abs=0.1)
    assert changed["size"][1] > DEVIATIONS * changed["bar"][1]
    assert drift["changes"]["gravity"]["exceeds"] == [False] * 3


def test_a_heavier_link_is_a_drift_of_gravity(tmp_path: Path) -> None:
    *others, last = small_arm().robot.joints
    heavy = Arm(replace(small_arm().robot, joints=[*others, replace(last, mass=1.5)]))
    for day, arm in enumerate((small_arm(), heavy)):
        log = recorded(arm, duration=10.0, rate=100.0, seed=day)
        (tmp_path / "a").mkdir(exist_ok=True)
        log.save(tmp_path / "a" / f"2026-01-0{day + 1}.npz")
    made = run(tmp_path)
    assert {row["day_from"] for row in made.rows} == {"path"}
    assert made.rows[1]["changes"]["gravity"]["exceeds"] == [False, True, True]
    assert made.rows[1]["changes"]["friction"]["exceeds"] == [False] * 3


def test_a_fleet_that_was_stopped_goes_on_where_it_was(
    logs: Path, table: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def stop(done: int, total: int, what: str) -> None:
        if what == "arms and days" and done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(logs, tmp_path / "table.csv", progress=stop)
    assert not (tmp_path / "table.csv").exists()
    done: list[int] = []
    run(logs, tmp_path / "table.csv", progress=lambda k, n, what: done.append(k))
    assert done == [3, 4, 5, 6]
    assert (tmp_path / "table.csv").read_bytes() == table
    monkeypatch.setattr("armdyn.monitoring.fleet.row_of", None)  # nothing is computed again
    run(logs, tmp_path / "table.csv")


def test_half_a_stored_row_is_computed_again(logs: Path, tmp_path: Path) -> None:
    run(logs, tmp_path / "table.csv")
    before = (tmp_path / "table.csv").read_bytes()
    for file in (tmp_path / "table.rows").iterdir():
        file.write_bytes(file.read_bytes()[:100])
    run(logs, tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_bytes() == before


def test_other_logs_or_options_make_other_rows(logs: Path, tmp_path: Path) -> None:
    def computed(**options: Any) -> int:
        done: list[int] = []

        def progress(k: int, n: int, what: str) -> None:
            if what == "arms and days":
                done.append(k)

        armdyn.fleet(
            f"{tmp_path}/logs/*/", small_arm(), out=tmp_path / "table.csv", progress=progress,
            **{**QUICK, **options},
        )  # fmt: skip
        return len(done) - 1

    write(tmp_path / "logs", "a/run.npz", start=MIDNIGHT, seed=1)
    write(tmp_path / "logs", "b/run.npz", start=MIDNIGHT, seed=2)
    assert (computed(), computed()) == (2, 0)
    assert computed(cutoff=8.0) == 2
    write(tmp_path / "logs", "b/run.npz", start=MIDNIGHT, seed=3)
    assert computed() == 1


def test_parts_of_a_job_array_make_the_table_of_one_job(
    logs: Path, table: bytes, tmp_path: Path
) -> None:
    first = run(logs, tmp_path / "table.csv", part="2/2")
    assert len(first.rows) == 3 and len(first.missing) == 3
    assert not (tmp_path / "table.csv").exists()
    second = run(logs, tmp_path / "table.csv", part=(1, 2))
    assert not second.missing
    assert (tmp_path / "table.csv").read_bytes() == table


SCRIPT = """
import json, os, sys
import armdyn
from support.identification import small_arm

def report(done, total, what):
    print(done, what, flush=True)

if __name__ == "__main__":
    options = json.loads(sys.argv[3])
    armdyn.fleet(sys.argv[1], small_arm(), out=sys.argv[2], progress=report, **options)
"""


def test_a_killed_process_leaves_whole_rows(logs: Path, table: bytes, tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(SCRIPT)
    words = [sys.executable, str(script), f"{logs}/*/", str(tmp_path / "table.csv")]
    paths = os.pathsep.join(path for path in sys.path if path)
    with subprocess.Popen(
        [*words, json.dumps(QUICK)], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": paths},
    ) as child:  # fmt: skip
        assert child.stdout is not None
        for line in child.stdout:
            if line.startswith("2 arms"):
                child.send_signal(signal.SIGKILL)
                break
    for file in (tmp_path / "table.rows").glob("*.json"):
        json.loads(file.read_text())
    done: list[int] = []
    run(logs, tmp_path / "table.csv", progress=lambda k, n, what: done.append(k))
    assert done[0] >= 2
    assert (tmp_path / "table.csv").read_bytes() == table


def test_workers_give_the_same_table_also_if_one_is_killed(
    logs: Path, table: bytes, tmp_path: Path
) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):  # fmt: skip
        killed: list[int] = []

        def kill(done: int, total: int, what: str) -> None:
            if what == "arms and days" and done == 2 and not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        run(logs, tmp_path / "table.csv", client=client, progress=kill)
    assert killed
    assert (tmp_path / "table.csv").read_bytes() == table


def test_a_log_that_fails_is_a_row_with_the_reason(logs: Path, tmp_path: Path) -> None:
    write(tmp_path / "logs", "a/good.npz", start=MIDNIGHT, seed=1)
    (tmp_path / "logs" / "a" / "2026-01-02.csv").write_text("no numbers\n")
    made = run(tmp_path / "logs", tmp_path / "table.csv")
    good, bad = made.rows
    assert good["error"] is None and bad["day"] == "2026-01-02"
    assert "2026-01-02.csv" in bad["error"] and made.failed == (bad,)
    table = list(csv.DictReader(io.StringIO((tmp_path / "table.csv").read_text())))
    assert table[1]["error"] == bad["error"] and table[1]["verdict"] == ""


def test_a_crash_in_a_log_is_a_row_that_is_tried_again(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise MemoryError("too little")

    with monkeypatch.context() as patch:
        patch.setattr("armdyn.monitoring.work.identify_by_torques", broken)
        made = run(logs, tmp_path / "table.csv")
    assert {row["error"] for row in made.rows} == {"MemoryError: too little"}
    assert not run(logs, tmp_path / "table.csv").failed


def test_a_robot_that_does_not_fit_fails_every_row_with_the_reason(logs: Path) -> None:
    made = armdyn.fleet(f"{logs}/*/", "puma560", **QUICK)
    assert len(made.failed) == 6
    assert not made.drifting


def test_days_are_from_stamps_then_paths_then_the_order() -> None:
    def units(*logs: tuple[str, float | None]) -> list[tuple[str, str]]:
        sources = [LogSource("a", name, name, 1, "") for name, _ in logs]
        return [(x.day, x.source) for x in units_of(sources, [stamp for _, stamp in logs])]

    assert units(("2020-01-01.csv", MIDNIGHT + 1.0)) == [("2026-01-01", "stamps")]
    assert units(("20200131/x.csv", 0.5)) == [("2020-01-31", "path")]
    assert units(("run_2020-45-01.csv", None), ("x.csv", 3.0)) == [
        ("log 1", "order"), ("log 2", "order"),
    ]  # fmt: skip
    assert units(("a.csv", MIDNIGHT), ("b.csv", MIDNIGHT + 3600.0)) == [("2026-01-01", "stamps")]
    assert units(("a.csv", MIDNIGHT - 1.0), ("b.csv", MIDNIGHT)) == [
        ("2025-12-31", "stamps"), ("2026-01-01", "stamps"),
    ]  # fmt: skip


def test_the_arm_is_the_first_folder_below_the_pattern(tmp_path: Path) -> None:
    for name in ("x/deep/er/a.csv", "y/b.csv", "c.csv", "y/notes.md", "y/.hidden/d.csv"):
        (tmp_path / "logs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "logs" / name).write_text("1")

    def found(pattern: str) -> list[tuple[str, str]]:
        return [(log.arm, log.inner) for log in find_logs(f"{tmp_path}/{pattern}")]

    assert found("logs/*/") == [("x", "deep/er/a.csv"), ("y", "b.csv")]
    assert found("logs/*/*.csv") == [("y", "b.csv")]
    assert found("logs/*.csv") == [("logs", "c.csv")]
    assert found("logs/y") == [("y", "b.csv")]


def test_addresses_of_fsspec_are_read_and_written(logs: Path, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    for path in sorted(logs.glob("[ab]/*.npz")):
        files.pipe_file(f"/fleet/logs/{path.parent.name}/{path.name}", path.read_bytes())
    made = armdyn.fleet(
        "memory://fleet/logs/*/", small_arm(), out="memory://fleet/table.csv", **QUICK
    )
    local = armdyn.fleet(f"{logs}/[ab]/", small_arm(), out=tmp_path / "table.csv", **QUICK)
    assert made.drifting == local.drifting == ("b",)
    assert files.cat_file("/fleet/table.csv") == (tmp_path / "table.csv").read_bytes()
    assert len(files.ls("/fleet/table.rows")) == 5
    assert not any(path.endswith(".tmp") for path in files.find("/fleet"))


def test_parquet_has_the_columns_of_the_table(logs: Path, whole: Fleet, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    whole.save(tmp_path / "table.parquet")
    table = parquet.read_table(tmp_path / "table.parquet").to_pydict()
    assert table == whole.columns()
    assert table["exceeds_error_bars"] == [None, False, None, True, None, False]


def test_the_page_begins_with_arms_that_drift(whole: Fleet, tmp_path: Path) -> None:
    whole.page(tmp_path / "fleet.html")
    text = (tmp_path / "fleet.html").read_text()
    assert "1 of 3 arms changed beyond their error bars" in text
    assert text.index('id="arm-b"') < text.index('id="arm-a"') < text.index('id="arm-c"')
    assert text.count("<figure>") == 9


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"pattern": "nowhere/*/"}, "matches no log"),
        ({"part": "3/2"}, "`part` is '3/2', expected i/n"),
        ({"part": (0, 2)}, "expected i/n"),
        ({"workers": 0}, "`workers` is 0"),
        ({"workers": 1, "client": 3}, "both say who does the work"),
        ({"client": 3}, "expected a distributed.Client"),
        ({"out": "table.txt"}, "tables are written as .parquet or .csv"),
        ({"out": "nowhere/table.csv"}, "no folder nowhere"),
        ({"test": "x.csv"}, "`test` is no option of a fleet"),
        ({"robot": "nothing"}, "no bundled robot"),
        ({"pattern": 3}, "`pattern` is 3"),
        ({"reading": 3}, "`reading` is 3"),
    ],
)
def test_wrong_arguments_are_refused_before_any_work(
    arguments: dict[str, Any], words: str, logs: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("armdyn.monitoring.fleet.row_of", None)
    given = {"pattern": f"{logs}/*/", "robot": small_arm(), **arguments}
    with pytest.raises((InputError, FileError, ArmdynError), match=words):
        armdyn.fleet(given.pop("pattern"), given.pop("robot"), **given)
    assert not list(tmp_path.iterdir())


def test_numbers_of_rows_are_plain(whole: Fleet) -> None:
    json.dumps(whole.rows, allow_nan=False)
    assert all(np.isfinite(row["duration"]) for row in whole.rows)
