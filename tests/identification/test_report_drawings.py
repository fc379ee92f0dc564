"""Drawings of the report: friction, residuals, spectra, correlations and signals."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from armdyn import Arm, Log, Robot
from armdyn.findings import Finding
from armdyn.identification.fit.fit import TermTrial
from armdyn.identification.identify import identify
from armdyn.identification.page.friction import fitted_friction, term_trials
from armdyn.identification.page.page import report_html
from armdyn.identification.page.parameters import close_pairs, correlations, separating
from armdyn.identification.page.residuals import explained, rows_of_joints, smoothed, spectrum
from armdyn.identification.page.time_series import PAGE, Drawer, drawn_share, fine_torques
from armdyn.identification.result import Result
from armdyn.present.tables import number
from armdyn.robot.friction import FRICTION_TERMS
from support.identification import motion, recorded, small_arm


@cache
def good() -> Result:
    return identify(small_arm(), recorded(small_arm()), physical=False)


@cache
def page() -> str:
    return report_html(good())


def part(text: str, key: str) -> str:
    """A section of a page."""
    return re.search(rf'<section id="{key}">(.*?)</section>', text, re.DOTALL)[1]


def test_every_section_is_there_and_in_the_list_at_the_top() -> None:
    keys = re.findall(r'<section[^>]* id="([\w-]+)"', page())
    assert keys == [
        "joints", "player", "held-out", "fit", "rollout", "friction", "residuals", "spectra",
        "parameters", "correlations", "hidden", "links", "signals", "data", "next",
    ]  # fmt: skip
    assert re.findall(r'<a href="#([\w-]+)"', page()) == keys


def test_fine_torques_are_the_rows_of_the_fit_and_more_between_them() -> None:
    (series,), (fine,) = good().test, fine_torques(good(), held_out=True)
    t = fine.t[fine.at]
    at = np.searchsorted(t, series.t - 1e-9)
    np.testing.assert_allclose(t[at], series.t, atol=1e-9)
    np.testing.assert_allclose(fine.measured[at], series.measured, atol=1e-9)
    np.testing.assert_allclose(fine.predicted[at], series.predicted, atol=1e-9)
    assert len(t) > 7 * len(series.t)
    log = recorded(small_arm())
    np.testing.assert_array_equal(fine.torque, log.tau[np.searchsorted(log.t, fine.t - 1e-9)])


def test_friction_curves_are_the_law_and_its_error_bars() -> None:
    v = np.array([-0.5, -0.1, 0.2, 0.7])
    for j, joint in enumerate(small_arm().robot.joints):
        torque, std = fitted_friction(good(), j, v, 3.0)
        truth = joint.viscous * v + joint.coulomb * np.sign(v) + joint.offset
        assert (np.abs(torque - truth) < 5 * std).all()
        np.testing.assert_allclose(
            fitted_friction(good(), j, v, 0.0, offset=False)[0],
            torque - good().values[good().names.index(f"Fo{j + 1}")],
        )
        i = [good().names.index(f"{symbol}{j + 1}") for symbol in ("Fv", "Fc", "Fo")]
        A = np.stack([v, np.sign(v), np.ones(4)], axis=1)
        np.testing.assert_allclose(std**2, np.diagonal(A @ good().covariance[np.ix_(i, i)] @ A.T))
    drawn = part(page(), "friction")
    for name in small_arm().joint_names:
        assert f'aria-label="friction of {name} over speed"' in drawn
        assert f'aria-label="friction of {name} over load"' in drawn
    # a band for each of two directions, and one over load
    assert drawn.count('class="bars"') == 9


def test_without_fitted_friction_the_page_says_so() -> None:
    result = identify(small_arm(), recorded(small_arm()), friction=False, physical=False)
    assert "taken as described" in part(report_html(result), "friction")


def test_trials_of_terms_appear_if_terms_were_chosen() -> None:
    plain = SimpleNamespace(arm=SimpleNamespace(joint_names=("a&b",)), trials=())
    assert term_trials(plain) == ""
    plain.trials = (
        TermTrial("load", 0, False, 0.062, 0.051, 2.5),
        TermTrial("<b>", 0, True, 0.062, 0.039, 4.0),
    )
    plain.friction_terms = {"a&b": ("viscous", "coulomb")}
    text = term_trials(plain)
    assert "load" in text and "6.20 %" in text and "3.90 %" in text
    assert text.count("selected</span>") == 1
    assert "&lt;b&gt;" in text and "a&amp;b" in text


def test_loads_are_torques_of_links_without_friction_and_rotors() -> None:
    mine = rows_of_joints(good())[1]
    (series,), (test,) = good().train, good().test
    moving = np.abs(series.velocity[:, 1]) > good().about.dead_band[1]
    x = series.position[moving], series.velocity[moving], series.acceleration[moving]
    nothing = dict.fromkeys(("rotor_inertia", *FRICTION_TERMS), 0.0)
    links = Arm(Robot([replace(joint, **nothing) for joint in good().arm.robot.joints]))
    expected = links.inverse_dynamics(*x)
    np.testing.assert_allclose(mine.load[~mine.held_out], expected[:, 1], atol=1e-9)
    np.testing.assert_allclose(mine.residual[~mine.held_out], series.residual[moving, 1])
    moving = np.abs(test.velocity[:, 1]) > good().about.dead_band[1]
    np.testing.assert_allclose(mine.residual[mine.held_out], test.residual[moving, 1])


def test_residuals_that_follow_something_are_named() -> None:
    arm = small_arm()
    t = np.arange(0.0, 40.0, 0.005)
    q, qd, qdd = motion(3, t, seed=4)
    tau = arm.inverse_dynamics(q, qd, qdd)
    tau += 0.02 * np.random.default_rng(1).normal(size=tau.shape)
    assert "No residuals follow" in part(page(), "residuals")
    tau[:, 1] += 0.8 * np.sin(7.0 * q[:, 1])
    result = identify(arm, Log(t=t, q=q, tau=tau), physical=False)
    words = part(report_html(result), "residuals")
    assert re.search(r"joint2: \d+(\.\d+)? % of the residuals follow the position", words)
    assert "joint1: " not in words


def test_explained_shares() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1.0, 1.0, 4000)
    noise = rng.normal(size=4000)
    assert explained(x, noise, 4000) < 0.01
    curve = np.sign(x) * 2.0
    assert explained(x, noise + curve, 4000) == pytest.approx(0.8, abs=0.03)
    assert explained(x, noise, 5) == 0.0
    assert explained(x, np.zeros(4000), 4000) == 0.0


def test_a_spectrum_has_the_power_of_its_signal() -> None:
    rate, t = 200.0, np.arange(8000) / 200.0
    y = 3.0 * np.sin(2 * np.pi * 12.0 * t) + np.random.default_rng(0).normal(size=8000)
    f, density = spectrum([y[:5000], y[5000:]], [rate, rate])
    step = f[1] - f[0]
    assert np.sum(density**2) * step == pytest.approx(4.5 + 1.0, rel=0.03)
    assert f[np.argmax(density)] == pytest.approx(12.0, abs=step)
    quiet = f > 30.0
    assert np.sqrt(np.mean(density[quiet] ** 2)) == pytest.approx(np.sqrt(2 / rate), rel=0.05)
    few, smooth = smoothed(f, density)
    assert len(few) < 90 and few[-1] > 90.0
    assert smooth[-1] == pytest.approx(np.sqrt(2 / rate), rel=0.1)
    assert len(spectrum([y[:10]], [rate])[0]) == 0


def test_correlations_and_pairs() -> None:
    C = np.array([[4.0, 3.9, 0.0], [3.9, 4.0, 0.0], [0.0, 0.0, 0.0]])
    R = correlations(C)
    np.testing.assert_allclose(R, [[1.0, 0.975, 0.0], [0.975, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert close_pairs(R) == [(0, 1)]
    apart = replace(good(), covariance=np.eye(len(good().values)))
    assert "No two parameters have a correlation above" in part(report_html(apart), "correlations")


def test_pairs_that_are_not_told_apart_are_named_with_a_remedy() -> None:
    i, j = (good().names.index(name) for name in ("Fv1", "Fc1"))
    covariance = np.eye(len(good().values))
    covariance[i, j] = covariance[j, i] = -0.97
    words = part(report_html(replace(good(), covariance=covariance)), "correlations")
    assert "Fv1 (viscous friction of joint1) and Fc1 (Coulomb friction of joint1)" in words
    assert "correlation \N{MINUS SIGN}0.970. Move joint1 at more different speeds" in words
    assert 'class="framed"' in words


def test_a_remedy_for_every_pair_of_kinds() -> None:
    columns = {c.kind: c for c in good().model.columns}
    moment = next(c for c in good().model.columns if c.name == "k2_x")
    said = {
        separating(good(), a, b)
        for a in (*columns.values(), moment)
        for b in (*columns.values(), moment)
        if a.name != b.name
    }
    assert all(words.endswith(".") and "joint" in words for words in said)
    assert len(said) > 5


def test_recorded_signals_lie_under_those_that_were_used() -> None:
    result = identify(small_arm(), recorded(small_arm()), physical=False, cutoff=10.0)
    drawn = part(report_html(result), "signals")
    assert drawn.count('data-name="recorded"') == 6  # two parts of a log, three joints
    assert drawn.count('data-name="recorded minus used"') == 6
    noise = float(
        re.search(r"recorded minus used position ([\d.e−-]+) rad", drawn)[1].replace("−", "-")
    )
    assert noise == pytest.approx(1e-5, rel=0.2)
    with_speed = recorded(small_arm())
    qd = motion(3, with_speed.t, 0)[1]
    result = identify(small_arm(), replace(with_speed, qd=qd), physical=False)
    assert part(report_html(result), "signals").count('data-name="recorded"') == 12


def test_logs_in_files_are_drawn_at_the_rows_of_the_fit() -> None:
    text = report_html(replace(good(), signals=()))
    assert "too long to draw its signals" in part(text, "signals")
    assert 'data-name="recorded"' not in part(text, "held-out")
    assert part(text, "held-out").count('data-name="predicted"') == 3
    assert "in the band of the fit" in part(text, "spectra")


def test_a_long_log_makes_no_huge_page(monkeypatch) -> None:
    log = recorded(small_arm(), duration=20.0, rate=1000.0)
    result = identify(small_arm(), log, physical=False)
    whole = report_html(result)
    assert drawn_share(result) == 1.0
    assert "show extremes" not in whole
    # three bytes a number are four letters; without them the page is small
    assert 400_000 < len(whole) < 3_000_000
    few = replace(PAGE, numbers=60_000)
    monkeypatch.setattr("armdyn.identification.page.time_series.PAGE", few)
    assert 0.02 < drawn_share(result) < 0.25
    thin = report_html(result)
    assert "show extremes" in part(thin, "signals")
    assert "show extremes" in part(thin, "held-out")
    assert len(thin) < 0.7 * len(whole)


def test_thinned_curves_keep_their_extremes(monkeypatch) -> None:
    t = np.arange(50_000.0)
    y = np.sin(0.001 * t)
    y[123], y[40_321] = 9.0, -9.0
    (whole,) = Drawer(good()).curve("sine", "raw", [(t, y)]).pieces
    np.testing.assert_array_equal(whole, (t, y))
    few = replace(PAGE, numbers=1)
    monkeypatch.setattr("armdyn.identification.page.time_series.PAGE", few)
    ((times, values),) = Drawer(good()).curve("sine", "raw", [(t, y)]).pieces
    assert len(times) == len(values) < 1600
    assert (times[values.argmax()], times[values.argmin()]) == (123, 40_321)
    assert (values.max(), values.min()) == (9.0, -9.0)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not there")
def test_the_script_is_javascript(tmp_path) -> None:
    (script,) = re.findall(r"<script>(.*?)</script>", page(), re.DOTALL)
    path = tmp_path / "page.js"
    path.write_text(script)
    done = subprocess.run(
        [shutil.which("node"), "--check", path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("reasons", "reservations", "tone"),
    [((), (), "passed"), ((), ("a weakness.",), "usable"), (("a fault.",), ("b.",), "failed")],
)
def test_the_three_verdicts_look_different(reasons, reservations, tone) -> None:
    judged = replace(good().judgement, reasons=reasons, reservations=reservations)
    text = report_html(replace(good(), judgement=judged))
    box = re.search(r'<div class="verdict (\w+)">(.*?)</div>', text, re.DOTALL)
    assert box[1] == tone
    assert f"torque error {good().total_error:.2%} on data not used for the fit" in box[2]
    for said in (*reasons, *reservations):
        assert said[1:] in box[2]


def test_findings_have_the_option_that_mends_them() -> None:
    assert 'id="findings"' not in report_html(
        replace(good(), judgement=replace(good().judgement, findings=()))
    )
    found = Finding("sign", "the sign of <joint2> is wrong", 0.31, 0.021, "--flip 2", (2,))
    text = report_html(replace(good(), judgement=replace(good().judgement, findings=(found,))))
    words = part(text, "findings")
    assert "The sign of &lt;joint2&gt; is wrong" in words
    assert "31.0 %" in words and "2.10 %" in words and "<code>--flip 2</code>" in words
    assert '<a href="#findings">' in text


def test_the_box_of_the_verdict_is_told() -> None:
    words = part(page(), "joints")
    for j in range(3):
        speed = number(float(good().box.speed[j]), 3)
        assert f"{speed} rad/s" in words
