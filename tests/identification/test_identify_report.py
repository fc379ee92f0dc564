"""The report of an identification: its numbers are the result's, and it needs nothing beside it."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from datetime import datetime
from functools import cache
from html.parser import HTMLParser
from importlib.metadata import version

import numpy as np
import pytest

from armdyn import Arm, FileError, Log, Robot
from armdyn.identification.files import FILES
from armdyn.identification.identify import identify
from armdyn.identification.judge.advice import beyond_training
from armdyn.identification.page.page import report_html
from armdyn.identification.result import Result
from armdyn.identification.tables import HEADS
from armdyn.present.html import sentence, tag
from armdyn.present.svg import Scale, line, scale_of
from armdyn.present.tables import percent, with_deviation
from support.browser import running
from support.identification import motion, recorded, small_arm
from support.says import says

ALONE = {"meta", "link", "br", "hr", "img", "input"}
NASTY = "<script>alert(1)</script>&\"'"


class Page(HTMLParser):
    """What a browser makes of a page: elements with attributes, texts of cells, and balance."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.words = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, name, attrs) -> None:
        self.elements.append((name, dict(attrs)))
        if name not in ALONE:
            self.open.append(name)
        if name == "tr":
            self.rows.append([])
        if name in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, name) -> None:
        assert self.open.pop() == name

    def handle_data(self, data) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            return
        self.words += data
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data

    def row(self, first: str, width: int) -> list[str]:
        """The row of some cells that begins with a word."""
        (found,) = [row for row in self.rows if row[0] == first and len(row) == width]
        return found


@cache
def good() -> Result:
    return identify(small_arm(), recorded(small_arm()), physical=False)


def test_the_motion_is_played_in_the_report(tmp_path) -> None:
    result = good()
    result.report(tmp_path / "report.html")
    seen: list[str] = []
    with running() as browser:
        page = browser.new_page()
        page.on("request", lambda request: seen.append(request.url))
        page.on("pageerror", lambda error: seen.append(str(error)))
        page.goto(f"{(tmp_path / 'report.html').as_uri()}#player")
        page.wait_for_selector("#player iframe")
        page.wait_for_function("document.querySelector('iframe').contentWindow.armdyn")
        (player,) = (frame for frame in page.frames if frame != page.main_frame)
        player.evaluate("armdyn.seek(2.0)")
        player.wait_for_selector("#legend", state="visible")
        assert player.evaluate("armdyn.n") == result.arm.n
    assert [url for url in seen if not url.startswith(("file:", "about:"))] == []


def poor_log() -> Log:
    """All joints moved together, slowly, by one sine: little can be learned from it."""
    t = np.arange(4000) / 200.0
    phase = 2 * np.pi * 0.1 * t[:, None]
    q, qd = 0.2 * np.sin(phase) * np.ones(3), 0.04 * np.pi * np.cos(phase) * np.ones(3)
    tau = small_arm().inverse_dynamics(q, qd, -((0.2 * np.pi) ** 2) * q)
    noise = np.random.default_rng(0).normal(size=tau.shape)
    return Log(t=t, q=q, tau=tau + noise)


@cache
def poor() -> Result:
    return identify(small_arm(described=False), poor_log(), physical=False)


def named(arm: Arm, names: list[str], name: str) -> Arm:
    joints = [replace(j, name=n) for j, n in zip(arm.robot.joints, names, strict=True)]
    return Arm(Robot(joints, name=name))


def test_the_verdict_is_on_top_in_words() -> None:
    page = Page(report_html(good()))
    assert good().passed
    assert f"torque error {good().total_error:.2%} on data not used for the fit" in page.words
    page = Page(report_html(poor()))
    assert not poor().passed
    assert HEADS["not passed"].capitalize() in page.words
    for reason in poor().reasons:
        assert reason.replace("`", "")[1:] in page.words


def test_the_numbers_of_joints_are_those_of_the_result() -> None:
    result, page = good(), Page(report_html(good()))
    for j, name in enumerate(result.arm.joint_names):
        row = page.row(name, 9)
        assert row[1] == percent(result.torque_error[j])
        assert row[2] == percent(result.train_errors.per_joint[j])
        assert row[3] == percent(result.torque_error_at_rest[j])
        assert row[4] == percent(result.errors.share_at_rest[j])
        assert float(row[6].split()[0]) == pytest.approx(result.sigma[j], rel=5e-3)
        assert row[7] == percent(result.excitation.per_joint[j])
        assert row[8] == f"± {percent(result.judgement.measures.gain_checked[j])}"
        i = result.names.index(f"Fc{j + 1}")
        value, std = next(r for r in page.rows if r[0] == name and "±" in r[1])[2].split(" ± ")
        assert value == with_deviation(result.values[i], result.std[i])
        assert float(std.removesuffix(" N m")) == pytest.approx(result.std[i], rel=5e-2)


def test_every_parameter_has_value_deviation_and_description() -> None:
    result, page = good(), Page(report_html(good()))
    truth = small_arm()
    described = dict(zip(truth.minimal.names, truth.minimal.values, strict=True))
    for i, name in enumerate(result.names):
        _, unit, known, _, value, std, _, cad = page.row(name, 8)
        assert unit == result.units[i]
        assert known == ("not known" if name in result.weak else "known")
        number = float(value.replace("\N{MINUS SIGN}", "-"))
        assert abs(number - result.values[i]) <= 0.06 * result.std[i]
        assert float(std) == pytest.approx(result.std[i], rel=5e-2)
        if name in described:
            told = float(cad.replace("\N{MINUS SIGN}", "-"))
            assert told == pytest.approx(described[name], rel=1e-3, abs=1e-9)


def test_what_cannot_be_known_and_what_was_done_is_told() -> None:
    result, page = good(), Page(report_html(good()))
    for statement in result.model.base.invisible:
        assert str(statement)[1:] in page.words
    for note in result.notes:
        assert note.replace("`", "")[1:] in page.words
    for words in result.advice:
        assert words.replace("`", "")[1:] in page.words
    assert f"armdyn {version('armdyn')}" in page.words


def test_torques_are_drawn_where_they_are() -> None:
    page = report_html(good())
    drawn = re.findall(r'<polyline points="([^"]*)" class="(\w+)" data-name="(\w+)"', page)
    curves = [points for points, kind, name in drawn if (kind, name) == ("is", "measured")]
    # three joints on data held out, in simulation, and on the data of the fit
    assert len(curves) == 9
    (series,) = good().test
    places = np.array([[float(x) for x in p.split(",")] for p in curves[0].split()])
    top = re.search(r'data-low="([^"]*)" data-high="([^"]*)"', page)
    end = float(re.search(r'data-end="([^"]*)"', page)[1])
    low, high = float(top[1]), float(top[2])
    t, y = places[:, 0] / 20_000 * end, high - places[:, 1] / 1000 * (high - low)
    start = next(s.used.t[0] for s in good().signals if s.held_out)
    expected = np.interp(series.t - start, t, y)
    # lines of many points are drawn through extremes of pieces
    np.testing.assert_allclose(expected, series.measured[:, 0], atol=5e-3 * (high - low))
    assert min(7 * len(series.t), 700) < len(t) < 10 * len(series.t)


def test_errors_in_captions_are_of_moving_rows() -> None:
    result = identify(small_arm(), recorded(small_arm()), physical=False, dead_band=0.3)
    page = Page(report_html(result))
    for j, name in enumerate(result.arm.joint_names):
        said = f"{name} [N m] · error while moving {percent(result.torque_error[j])}"
        assert said in page.words


def test_a_long_line_keeps_its_extremes() -> None:
    y = np.sin(np.arange(100_000) * 0.01)
    y[70_001], y[12_345] = 7.0, -9.0
    across, down = Scale(0.0, 1e5), scale_of(y)
    drawn = line(np.arange(1e5), y, across, down, "is")
    heights = [float(p.split(",")[1]) for p in re.search('points="(.*?)"', drawn)[1].split()]
    assert len(heights) <= 1600
    assert min(heights) == pytest.approx(1000 * (1 - down.share(7.0)), abs=1)
    assert max(heights) == pytest.approx(1000 * (1 - down.share(-9.0)), abs=1)


def test_names_from_files_are_text_and_nothing_else() -> None:
    names = [f"{NASTY}1", "j`2`", "j&amp;3"]
    arm = named(small_arm(), names, NASTY)
    log = replace(recorded(small_arm()), joint_names=tuple(names), source=f"a/{NASTY}.csv")
    page = Page(report_html(identify(arm, log, physical=False)))
    assert [name for name, _ in page.elements].count("script") == 1
    assert f"Identification of {NASTY}" in page.words
    for name in names:
        page.row(name, 9)
    assert not any(key.startswith("on") for _, attrs in page.elements for key in attrs)


def test_the_page_needs_nothing_beside_it() -> None:
    text = report_html(good())
    page = Page(text)
    assert "http" not in text.replace("http-equiv", "")
    assert "url(" not in text and "@import" not in text and "import " not in text
    names = {name for name, _ in page.elements}
    assert not names & {"link", "img", "object", "embed", "base"}
    (player,) = (attributes for name, attributes in page.elements if name == "iframe")
    assert "src" not in player and (player["srcdoc"] or "").startswith("<!DOCTYPE html>")
    places = [a.get("href") or a.get("src") for _, a in page.elements]
    ids = {a.get("id") for _, a in page.elements}
    assert all(place[1:] in ids for place in places if place)
    assert len(text) < 3_000_000


def test_without_data_held_out_the_page_says_so() -> None:
    result = identify(small_arm(), recorded(small_arm()), holdout=0.0, physical=False)
    page = Page(report_html(result))
    assert "data not used for the fit" not in page.words
    assert "No data were held out" in page.words


def test_equal_results_have_equal_pages_and_dates_are_given() -> None:
    assert report_html(good()) == report_html(good())
    assert "2026-02-03 04:05" in report_html(good(), datetime(2026, 2, 3, 4, 5))


def test_advice_comes_from_the_numbers() -> None:
    worst = int(np.argmax(poor().excitation.per_joint))
    uncertain = f"joint{worst + 1} ({poor().excitation.per_joint[worst]:.0%})"
    assert any(says(words, uncertain) for words in poor().advice)
    assert any(says(words, "described without masses") for words in poor().advice)
    assert not any(says(words, "described without masses") for words in good().advice)
    tight = small_arm()
    joints = [replace(j, lower=-8.0, upper=8.0, velocity=50.0) for j in tight.robot.joints]
    result = identify(Arm(Robot(joints)), recorded(tight), physical=False)
    width, fastest = (result.about.highest - result.about.lowest)[0], result.about.fastest[0]
    assert any(says(words, f"joint1 {width:.2g} rad ({width / 16:.0%})") for words in result.advice)
    assert any(
        says(words, f"joint1 {fastest:.2g} rad/s ({fastest / 50:.0%})") for words in result.advice
    )


def validated_on(stretch: float, speed: float) -> Result:
    """Trained on one motion, tested on another: joint2 goes further, all joints are faster."""
    arm, t = small_arm(), np.arange(4000) / 200.0
    q, qd, qdd = (x * [1.0, stretch, 1.0] for x in motion(3, t * speed, seed=0))
    tau = arm.inverse_dynamics(q, qd * speed, qdd * speed**2)
    tau += 0.05 * np.random.default_rng(0).normal(size=tau.shape)
    test = Log(t=t, q=q, tau=tau, joint_names=arm.joint_names)
    return identify(arm, recorded(arm), test=test, physical=False)


def test_held_out_data_beyond_the_training_data_are_told() -> None:
    assert beyond_training(good()) == ()
    same = validated_on(1.0, 1.0)
    assert beyond_training(same) == ()
    assert not any("range of the training data" in words for words in same.advice)
    result = validated_on(1.8, 1.0)
    further = [words for words in beyond_training(result) if words.endswith(" rad")]
    reached = np.quantile(result.test[0].position[:, 1], 0.99)
    assert len(further) == 1
    assert says(further[0], "joint2", f"{reached:.3g} rad", f"{result.box.upper[1]:.3g} rad")
    assert all(says(words, "joint2") for words in beyond_training(result))
    assert any(further[0] in words for words in result.advice)
    assert further[0] in Page(report_html(result)).words


def test_held_out_data_that_are_only_faster_leave_no_range_of_positions() -> None:
    told = beyond_training(validated_on(1.0, 1.5))
    assert any(words.endswith("rad/s") for words in told)
    assert not any(words.endswith(" rad") for words in told)
    unheld = identify(small_arm(), recorded(small_arm()), holdout=0.0, physical=False)
    assert beyond_training(unheld) == ()


def test_friction_that_grows_at_low_speeds_is_suspected() -> None:
    arm = small_arm()
    t = np.arange(0.0, 40.0, 0.005)
    q, qd, qdd = motion(3, t, seed=4)
    tau = arm.inverse_dynamics(q, qd, qdd)
    rng = np.random.default_rng(1)
    tau += 0.02 * rng.normal(size=tau.shape)
    plain = identify(arm, Log(t=t, q=q, tau=tau), friction=True, physical=False)
    assert "friction='auto'" not in " ".join(plain.advice)
    tau[:, 1] += 1.5 * np.exp(-((qd[:, 1] / 0.06) ** 2)) * np.sign(qd[:, 1])
    log = Log(t=t, q=q, tau=tau)
    sticky = identify(arm, log, friction=True, physical=False, dead_band=0.01)
    told = [words for words in sticky.advice if "friction='auto'" in words]
    assert len(told) == 1 and "joint2" in told[0]


def test_a_report_is_written_whole_or_not_at_all(tmp_path, monkeypatch) -> None:
    path = tmp_path / "report.html"
    good().report(path)
    assert path.read_text().startswith("<!DOCTYPE html>")
    before = path.read_text()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(FileError, match="No space left"):
        good().report(path)
    assert path.read_text() == before
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_files_hold_the_numbers_of_the_result() -> None:
    result, texts = good(), good().files()
    assert sorted(texts) == sorted(FILES)
    rows = list(csv.DictReader(io.StringIO(texts["parameters.csv"])))
    assert [row["name"] for row in rows] == list(result.names)
    assert [float(row["value"]) for row in rows] == result.values.tolist()
    assert [float(row["std"]) for row in rows] == result.std.tolist()
    told = json.loads(texts["result.json"])
    assert told["passed"] is True
    assert told["logs"][0]["held_out"] is False and told["logs"][1]["held_out"] is True
    assert told["settings"]["rotor"] is None  # chosen from the data
    assert told["settings"]["cutoff_used"] == result.about.cutoff


def test_an_arm_that_urdf_cannot_express_has_no_urdf() -> None:
    names = ["a\x07", "b", "c"]
    arm = named(small_arm(), names, "small")
    log = replace(recorded(small_arm()), joint_names=tuple(names))
    result = identify(arm, log, physical=False)
    assert sorted({*FILES} - {*result.files()}) == ["identified.urdf"]
    assert "\x07" not in result.files()["report.html"]


def test_words_become_html() -> None:
    assert tag("p", "a<b", class_="x&y") == '<p class="x&amp;y">a&lt;b</p>'
    assert sentence("try `a=<b>` now") == "Try <code>a=&lt;b&gt;</code> now"
    assert sentence("odd ` one") == "Odd ` one"
    assert sentence("joint_2 never moves") == "joint_2 never moves"


def test_numbers_carry_the_digits_that_mean_something() -> None:
    assert with_deviation(1.23456, 0.02) == "1.235"
    assert with_deviation(-0.0001, 0.2) == "0.00"
    assert with_deviation(1234.5, 30.0) == "1234"
    assert [percent(x) for x in (0.0123, 0.123, 1.234, 50.0)] == [
        "1.23 %", "12.3 %", "123 %", "> 1000 %",
    ]  # fmt: skip
    assert Scale(-1.0, 1.0).ticks(4) == [-1.0, -0.5, 0.0, 0.5, 1.0]
