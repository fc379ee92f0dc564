"""The papers' numerical studies: what is printed is copied right, and what is claimed is found."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.algorithms import cholesky, udu
from armdyn.present.pictures import check_picture
from armdyn.robot.chain import chain_of
from armdyn_papers import app as command
from armdyn_papers.studies import as_printed, ascher, integrator_runs, integrators, puma, times
from armdyn_papers.studies.integrator_runs import Point, Series, fall, solvers
from armdyn_papers.studies.page import STUDIES, page
from armdyn_papers.studies.puma_runs import ARRIVING, DISTANCE, SPEED, SetUp, arm_of, line_of, moved
from armdyn_papers.studies.rkf45 import Fehlberg
from armdyn_papers.studies.single import falling
from armdyn_papers.studies.study import Spread, write_plot
from armdyn_papers.tables.mata_2002 import TABLE_5, TABLE_6, TABLE_7
from support.beside import paper_with

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def two_links() -> ascher.Ascher:
    return ascher.run_ascher()


@pytest.fixture(scope="module")
def line() -> puma.Puma:
    return puma.run_puma(None, [SetUp("rotors", SPEED, "exact"), SetUp("rotors", SPEED, "linear")])


def run(monkeypatch, capsys, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["armdyn-papers", "study", *words])
    with pytest.raises(SystemExit) as stop:
        command.main()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def test_printed_numbers_are_those_of_the_paper() -> None:
    text = paper_with("Gauss–Jordan elimination")
    lines = text[text.index("\nTable 5\n") :].splitlines()
    five = [re.findall(r"\t([\d.]+)", line) for line in lines if "rad/s" in line and "DP" in line]
    printed = [[float(x) for x in row] for row in five]
    columns = TABLE_5.values()
    assert printed == [[c.maximum for c in columns], [c.average for c in columns]]
    six = [re.findall(r"\$([\d.]+) \\times 10\^\{(-\d)\}\$", line) for line in lines]
    rows = [tuple(float(f"{m}e{e}") for m, e in row) for row in six if len(row) == 3]
    assert tuple(rows) == TABLE_6
    seconds, evaluations = (
        next(line for line in lines if line.startswith(word)).split("\t")[1:]
        for word in ("Processing time (s)", "Number of function evaluations")
    )
    assert [r.seconds for r in TABLE_7.values()] == [float(x) for x in seconds]
    assert [r.evaluations for r in TABLE_7.values()] == [int(x) for x in evaluations]


def test_a_number_is_reproduced_within_its_spread_and_of_its_size_within_twice() -> None:
    spread = Spread(1.0, 0.8, 1.2)
    assert [spread.verdict(x) for x in (0.8, 1.2)] == ["reproduced"] * 2
    assert [spread.verdict(x) for x in (0.41, 2.39)] == ["same size"] * 2
    assert [spread.verdict(x) for x in (0.39, 2.41)] == ["not reproduced"] * 2


def test_single_precision_rounds_constants_angles_and_every_operation() -> None:
    chain = chain_of(armdyn.load("ascher2").robot)
    q = np.array([[0.3, 0.7], [0.1, 0.2]])

    def algorithm(chain, q, qd, tau):
        return [chain[1].m * chain[2].b * chain[2].m + q[0], qd[0] + q[1] * 0.1]

    f = np.float32
    found = falling(algorithm, chain, q, f)
    factors = chain[1].m, chain[2].b, chain[2].m
    product = f(factors[0]) * f(factors[1]) * f(factors[2])
    expected = [[product + f(a), f(b) * f(0.1)] for a, b in q]
    assert found.dtype == f and found.tolist() == np.array(expected).tolist()
    assert product != f(np.prod(factors))  # rounding once would be another number


def test_all_ways_agree_in_double_precision(two_links) -> None:
    assert len(two_links.rows) == 8
    assert max(row.agreement for row in two_links.rows) < 1e-8


def test_recursions_in_link_frames_lose_a_thousand_times_less(two_links) -> None:
    recursive = [two_links[x].maximum.highest for x in (ascher.LINK_ABA, ascher.DENOC)]
    solved = [
        two_links[x].maximum.lowest
        for x in (ascher.BASE_ABA, ascher.CRBA, ascher.CRBA_UDU, ascher.GA, ascher.GA_CHOLESKY)
    ]
    assert 500 * max(recursive) < min(solved)


def test_of_table_5_crba_reproduces_and_the_averages_of_the_others_do_not(two_links) -> None:
    verdicts = {finding.claim: finding.verdict for finding in two_links.findings()}
    assert verdicts["CRBA: max 1.2922"] == verdicts["CRBA: average 0.275063"] == "reproduced"
    assert verdicts["GA: max 0.534002"] == "same size"
    for claim in ("GA: average 0.0087611", "ABA: max 0.4976", "ABA: average 0.01324"):
        assert verdicts[claim] == "not reproduced"
    assert two_links[ascher.BASE_ABA].maximum.verdict(TABLE_5["ABA"].maximum) == "reproduced"


def test_the_mass_of_the_second_link_cannot_be_told_from_table_5(two_links) -> None:
    for spread in two_links.other_masses.values():
        assert spread.verdict(TABLE_5["CRBA"].maximum) != "not reproduced"


def test_articulated_bodies_in_base_coordinates_are_right_on_another_arm() -> None:
    arm = armdyn.load("planar3")
    q = np.random.default_rng(0).uniform(-3, 3, (20, 3))
    found = falling(as_printed.articulated_in_base_frame, chain_of(arm.robot), q, np.float64)
    np.testing.assert_allclose(found, arm.forward_dynamics(q, 0 * q, 0 * q), rtol=1e-11)


@pytest.mark.parametrize("solve", [as_printed.gauss_jordan, udu.solve, cholesky.solve])
def test_solvers_solve(solve) -> None:
    X = np.random.default_rng(1).normal(size=(9, 6))
    X = X.T @ X
    np.testing.assert_allclose(solve(X.tolist(), X @ np.arange(6.0)), np.arange(6.0), atol=1e-9)


def test_fehlberg_is_exact_for_polynomials_and_counts_evaluations() -> None:
    integration = Fehlberg(tolerance=1e9, first_step=0.5)
    y = integration.advance(lambda t, y: np.array([5 * t**4]), 0.0, np.array([0.0]), 2.0)
    assert y[0] == pytest.approx(32.0, rel=1e-14)
    assert integration.evaluations == 6 * 2  # a step of 0.5, and as it may be longer, the rest


def test_fehlberg_keeps_its_tolerance_and_takes_more_steps_for_a_finer_one() -> None:
    counts = []
    for tolerance in (1e-5, 1e-10):
        integration = Fehlberg(tolerance, first_step=1.0)
        y = np.array([1.0, 0.0])
        for k in range(10):
            y = integration.advance(lambda t, y: np.array([y[1], -y[0]]), k, y, k + 1.0)
        assert np.abs(y - [np.cos(10), -np.sin(10)]).max() < 50 * tolerance
        counts.append(integration.evaluations)
    assert counts[0] < counts[1]


def test_the_tip_goes_straight_at_constant_speed_without_turning() -> None:
    arm = arm_of("rotors")
    way = line_of(arm, SPEED)
    h = 1e-3
    before, now, after = (way.at(t) for t in (2.0 - h, 2.0, 2.0 + h))
    T0, T = arm.pose(way.instants[0].q), arm.pose(now.q)
    np.testing.assert_allclose(T[:3, :3], T0[:3, :3], atol=1e-12)
    np.testing.assert_allclose(T0[:3, 3], [0.50, 0.00, 0.05], atol=1e-6)
    gone = T[:3, 3] - T0[:3, 3]
    np.testing.assert_allclose(gone, 2.0 * SPEED * np.array([0.12, 0.30, 0.06]) / DISTANCE)
    np.testing.assert_allclose((after.q - before.q) / (2 * h), now.qd, atol=1e-6)
    np.testing.assert_allclose((after.qd - before.qd) / (2 * h), now.qdd, atol=1e-6)


def test_errors_of_the_puma_grow_and_measure_the_torque_not_the_method(line) -> None:
    exact, linear = line.motions
    for motion in line.motions:
        assert set(motion.evaluations.values()) == {300}  # one step an interval, by all methods
        assert motion.parting < 1e-9
        largest = motion.errors[:, 0].max(axis=1)
        rate = np.log(largest[-1] / largest[-11])  # over the last second
        assert motion.growth[0] - 0.5 < rate < motion.growth[1] + 0.5
    assert linear.averages[0].max() > 1000 * exact.averages[0].max()


def test_tables_6_and_7_are_told_not_to_reproduce(line) -> None:
    verdicts = {finding.claim: finding.verdict for finding in line.findings()}
    assert verdicts["Table 6: average differences of positions"] == "not reproduced"
    assert verdicts["CRBA, ABA and GA give practically the same motion"] == "reproduced"
    assert verdicts["0.1 m/s for 5 s lead from the first point to the last"] == "contradiction"
    doubt = next(f.found for f in line.findings() if f.verdict == "doubtful")
    assert "q of joints 1 and 6 in all digits" in doubt and "q̇ of joints 2 and 3" in doubt


def test_rows_4_and_5_of_table_6_have_the_proportions_of_joints_2_and_3(line) -> None:
    """Of an arm whose inertias are recalled, not sourced; and one printed exponent is off."""
    like = moved(SetUp("recalled", ARRIVING, "exact")).likeness
    assert like.off < 0.03 and like.odd == pytest.approx(0.1, rel=0.01)
    assert all(motion.likeness.off > 0.3 for motion in line.motions)  # of the bundled arm
    assert "not sourced" in " ".join(line.setup())
    exponent = next(f for f in line.findings() if f.claim == "Table 6, row 5: accelerations")
    assert exponent.verdict == "contradiction" and "9.54e-02" in exponent.found


def test_evaluations_for_an_error_are_read_between_points_and_never_beyond() -> None:
    points = (Point(100, 1e-2), Point(200, 1e-7), Point(400, 1e-4), Point(800, 1e-6))
    series = Series(True, "rk4", "LDLᵀ", points, 0)
    assert series.needed(1e-5) == pytest.approx(400 * 2**0.5)
    assert series.needed(1e-3) > 100  # the lucky run of 200 does not count below 1e-4
    assert series.needed(1e-7) is None and series.needed(1.0) is None


def test_fixed_steps_are_of_order_four_and_adams_bashforth_needs_fewer_evaluations() -> None:
    found = fall(True, (128, 256, 512), (1e-6,))
    needed = {}
    for series in found.series:
        if series.integrator in ("ab4", "rk4"):
            assert series.order(1e3 * found.certain) == pytest.approx(4.0, abs=0.2)
            needed[series.integrator] = series.needed(3e-7)
    assert needed["ab4"] < needed["rk4"]
    assert found.certain < 1e-12


def test_factors_without_roots_are_as_accurate_and_divide_less(monkeypatch) -> None:
    monkeypatch.setattr(integrator_runs, "SYSTEMS", 20)  # fractions are slow
    ldl, roots, _, lapack = solvers(True)
    for mine in (ldl, roots, lapack):
        assert 1e-8 < mine.single < 1e-6 and 1e-17 < mine.double < 1e-14
    assert ldl.operations.sqrt == 0 and ldl.operations.div < roots.operations.div
    assert ldl.single < 2 * roots.single


def test_the_command_prints_every_row_and_verdict(monkeypatch, capsys, two_links) -> None:
    monkeypatch.setattr(command, "STUDIES", {"ascher": lambda progress: two_links})
    status, out, err = run(monkeypatch, capsys, "ascher")
    assert (status, err) == (0, "")
    assert "not reproduced" in out and "0.534002" in out and "DeNOC" in out
    status, out, _ = run(monkeypatch, capsys, "ascher", "--json")
    told = json.loads(out)
    assert status == 0 and len(told["rows"]) == 8 and len(told["single"]) == 7
    assert told["printed"]["CRBA"]["maximum"] == 1.2922


def test_pages_and_pictures_are_written(monkeypatch, capsys, tmp_path, two_links, line) -> None:
    made = {"ascher": lambda progress: two_links, "puma": lambda progress: line}
    monkeypatch.setattr(command, "STUDIES", made)
    written, drawn = tmp_path / "studies.md", tmp_path / "studies.svg"
    words = ("all", "--json", "--markdown", str(written), "--plot", str(drawn))
    status, out, _ = run(monkeypatch, capsys, *words)
    assert status == 0 and [s["study"] for s in json.loads(out)] == ["ascher", "puma"]
    text = written.read_text("utf-8")
    for name in ("ascher", "puma"):
        picture = tmp_path / f"studies-{name}.svg"
        assert f"({picture.name})" in text and "<svg" in picture.read_text("utf-8")
    write_plot(line, tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_bytes() == (tmp_path / "studies-puma.svg").read_bytes()
    assert text == page([two_links, line], {n: f"studies-{n}.svg" for n in ("ascher", "puma")})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("asher",),
            "there is no study 'asher'; expected one of: ascher, puma, integrators, adaptive, all",
        ),
        (("ascher", "--plot", "a.gif"), "pictures are written as .png, .svg, .pdf"),
        (("ascher", "--plot", "nowhere/a.png"), "no folder nowhere"),
        (("all", "--markdown", "nowhere/a.md"), "no folder nowhere"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_run(
    monkeypatch, capsys, tmp_path, words, said
) -> None:
    monkeypatch.chdir(tmp_path)
    idle = dict.fromkeys(STUDIES, lambda progress: pytest.fail("it was run"))
    monkeypatch.setattr(command, "STUDIES", idle)
    status, out, err = run(monkeypatch, capsys, *words)
    assert (status, out) == (2, "") and said in err


def test_without_matplotlib_a_picture_is_refused_by_name(monkeypatch, tmp_path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(armdyn.MissingExtraError, match="plot"):
        check_picture(tmp_path / "a.png")


def test_the_page_in_docs_has_the_verdicts_of_today(two_links, line) -> None:
    text = (ROOT / "docs" / "studies.md").read_text("utf-8")
    for finding in two_links.findings():
        assert f"| {finding.claim} | {finding.verdict} |" in text
    assert line.title in text and integrators.Integrators((), {}).title in text
    for name in STUDIES:
        assert f"(studies-{name}.svg)" in text


@pytest.mark.slow
def test_no_set_up_gives_the_printed_tables_of_the_puma() -> None:
    study = puma.run_puma()
    verdicts = {finding.claim: finding.verdict for finding in study.findings()}
    assert len(study.motions) == 29 and "reproduced" not in {
        verdict for claim, verdict in verdicts.items() if claim.startswith("Table 6")
    }
    text = (ROOT / "docs" / "studies.md").read_text("utf-8")
    for claim, verdict in verdicts.items():
        assert f"| {claim} | {verdict} |" in text


@pytest.mark.slow
def test_of_lins_advice_adams_bashforth_holds_beside_runge_kutta_only() -> None:
    study = integrators.run_integrators()
    assert [f.verdict for f in study.findings()] == ["reproduced", "not reproduced", "reproduced"]
    text = (ROOT / "docs" / "studies.md").read_text("utf-8")
    for finding in study.findings()[:2]:  # counts, which rounding does not change
        assert f"| {finding.verdict} | {finding.found} |" in text
    for finding in study.findings():
        assert f"| {finding.claim} | {finding.verdict} |" in text


def test_times_are_the_shortest_of_runs_and_shown_relative_to_ga() -> None:
    """By a clock that the test moves: GA takes 4, CRBA 2, ABA 1, but for a first run of 9 each."""
    took = iter([9, 9, 9, 4, 2, 1, 5, 6, 7])
    now = 0.0
    starts = True

    def clock() -> float:
        nonlocal now, starts
        now += 0.0 if starts else next(took)
        starts = not starts
        return now

    found = times.measured((2,), (5,), 3, clock)
    assert [(t.method, t.seconds) for t in found] == [
        ("gibbs_appell", 4.0), ("mass_matrix_udu", 2.0), ("articulated_body", 1.0),
    ]  # fmt: skip
    grid = times.relative(found)
    assert grid.rows == (("2", "0.50", "0.25"),)
    assert times.measured((2,), (1,), 1)[0].seconds > 0.0
