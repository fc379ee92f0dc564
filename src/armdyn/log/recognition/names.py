"""Names of columns: the quantity, the joint and the unit that a name means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from armdyn.log.recognition.units import (
    CURRENTS,
    RATES,
    RATES_OF_RATES,
    SHARES,
    SI,
    TORQUES,
    UNITS,
    is_unit,
    spelling,
)

# For example ``q1``, ``q[0]``, ``position_elbow``, ``elbow.pos``, ``A1_ActPos(deg)``, ``J1Pos``,
# ``actual_q_0``, ``AxisAct.A1``, ``current_4_mA``, ``Timestamp [ms]``, ``header.stamp.nanosec``.

# Words for the quantities. Case does not matter, nor whether "_" is another gap or none.
#
# Names of vendors and where they are from:
#   UR RTDE (actual_q, actual_qd, actual_current, target_q, target_moment, timestamp): the table of
#     outputs of UR's client library. target_moment is the torque of the controller's model: like
#     every target but a position it is no measurement.
#   Franka (q, dq, tau_J, q_d, tau_J_d, tau_ext_hat_filtered, time, duration): `logToCSV` of
#     libfranka; theta, dtheta (motor side): franka::RobotState.
#   KUKA RSI (AIPos, ASPos, MACur, IPOC; RIst, RSol are Cartesian): DEF_... of its Ethernet
#     configuration; GearTorque: signal of the driver kuka_external_control_sdk.
#   KUKA KRL ($AXIS_ACT, $TORQUE_AXIS_ACT, $VEL_AXIS_ACT, $CURR_ACT): variables of the system.
#   KUKA FRI (mp1, ip1, mt1, et1, tsec, tnsec): columns that pyfri writes; msrJntPos, cmdJntPos,
#     msrJntTrq: fields of the first FRI.
#   KUKA trace (A1_ActPos, A1_MotCurr), ABB, Fanuc, Denso (J1Pos, Joint_1_Torque): from memory.
#   Dynamixel, Feetech (Present_Position, Goal_Position, Present_Current, Present_Velocity,
#     Present_Speed, Present_Load): their control tables, as spelt by LeRobot.
#   LeRobot (observation.state.elbow.pos, action.elbow.pos): features of its datasets.
SYMBOLS = {
    "q": "q qpos theta",
    "qd": "qd dq q_dot qdot qvel v dtheta",
    "qdd": "qdd ddq q_ddot qddot a",
    "tau": "tau tau_j",
    "current": "i",
}
WORDS = {
    "q": "pos posn position positions angle angles ai_pos axis_act encoder",
    "qd": "vel vels velocity velocities speed speeds vel_axis vel_axis_act",
    "qdd": "acc accs accel accels acceleration accelerations",
    "tau": "effort efforts torque torques trq trqs tq moment moments torque_axis_act gear_torque",
    "current": "current currents curr cur amps amperage ma_cur curr_act torque_current",
    "q_cmd": "command as_pos",
    "load": "load loads",
}
# KUKA's axis positions are in degrees (millimetres for linear ones), without a unit in the name.
DEGREE_WORDS = ("aipos", "aspos", "axisact")
# These mean a quantity only with a number after them.
NUMBERED = {"q": "mp", "q_cmd": "ip", "tau": "mt"}
ROLES = tuple(WORDS)

# Single letters mean a quantity only with a joint after them.
NEEDS_JOINT = ("v", "a", "i")
# Positions and speeds of motors, behind the elasticity of the gear: only if there are no others.
MOTOR_SIDE_SYMBOLS = ("theta", "dtheta")
# Positions by these names are steps of an encoder.
REGISTERS = re.compile(r"present[\s_.\-]*position", re.I)

# These words beside a quantity do not change its meaning.
MEASURED = "actual act measured meas msr msrd present joint joints jnt motor mot drive axis current"
AFTER = "actual act measured meas msr value val"

# Positions with one of these words are goals of a controller.
COMMANDS = (
    "target desired des command commanded commands cmd reference ref goal setpoint action actions "
    "ipo"
)
# A column with one of these words, or of those above, is not a measurement of the arm.
NOT_MEASURED = "error err limit extra"
# Nor is a torque with one of these: a controller computes it.
COMPUTED = (
    "ext external hat est estimated model gravity friction coriolis residual feedforward ff offset"
)
# A joint is not called so.
CARTESIAN = "tcp tool tool0 flange ee eef cart cartesian tip pose wrench"

# Words that may follow the joint, and stand in names of LeRobot: elbow.pos, elbow.vel.
AFTER_JOINT = "pos position vel velocity acc accel acceleration effort torque tau current load"

# Units of one quantity only, which tell it if a name is only that of a joint.
OWN_UNITS = {
    "q": ("deg", "rad", "mrad"), "qd": (*RATES,), "qdd": (*RATES_OF_RATES,),
    "tau": (*TORQUES,), "current": (*CURRENTS,),
}  # fmt: skip

# Longer names [characters] are not looked at: the search takes a time of the square of the length.
LONGEST_NAME = 200

# Names of joints of grippers.
GRIPPER = re.compile("gripper|finger|jaw|claw", re.I)
# Names of joints of a left and a right arm: left_waist, kLeftElbow.
SIDE = re.compile(r"(?:^|[\s_./]|\bk)(left|right)(?=[\s_./A-Z])", re.I)

# Coordinates of a pose, where x, y and z have the same words before them: ee_x, ee_y, ee_z, ee_rx.
POSE = "x y z w rx ry rz rw qx qy qz qw roll pitch yaw".split()
ORIENTATION = re.compile(r"rot|quat|euler|orient|rpy", re.I)

# Prefix of an extra column whose name could be read as a quantity.
EXTRA = "extra."


@dataclass(frozen=True)
class Meaning:
    """Meaning of a name.

    Attributes:
        role: "t", "nanosec", "episode" or one of `ROLES`.
        joint: the name or number of the joint, as it is spelt; None if there is none.
        unit: as `units.spelling` spells it, also if it is no unit of the quantity.
        word: that named the quantity, in lower case without gaps.
    """

    role: str
    joint: str | None = None
    unit: str | None = None
    word: str = ""

    @property
    def is_unit_known(self) -> bool:
        """Whether there is no unit, or one of the quantity."""
        return self.unit is None or self.unit in UNITS[self.role]


_GAP = r"[\s_./:\-]"


def _any_of(*lists: str) -> str:
    words = sorted({word for text in lists for word in text.split()}, key=len, reverse=True)
    return "|".join(re.escape(word).replace("_", f"{_GAP}*") for word in words)


def _bare(word: str) -> str:
    return re.sub(rf"{_GAP}|_", "", word).lower()


ROLE_OF = {
    _bare(word): role
    for table in (SYMBOLS, WORDS, NUMBERED)
    for role, words in table.items()
    for word in words.split()
}
_LONG = _any_of(*WORDS.values())
_END = rf"(?={_GAP}|\d|[\[(]|$)"
_PREFIX = (
    rf"^[/$]?(?:(?:observations?|robot){_GAP}+)?(?:(?:joint|robot)?{_GAP}?states?{_GAP}+)?"
    rf"(?:m_(?=axis))?"
)
_BEFORE = rf"(?:(?:{_any_of(MEASURED)}){_GAP}*)*"
_BEHIND = rf"(?:{_GAP}*(?:{_any_of(AFTER)}){_END})*"
# The joint after a quantity: nothing, a number, or a name after a gap or in brackets.
_JOINT = rf"(?:|{_GAP}*(\d+){_BEHIND}|\s*[\[(]\s*(.+?)\s*[\])]|{_GAP}+(.+?))$"
_SYMBOL_FIRST = (
    rf"{_PREFIX}(?:{_BEFORE}({_any_of(*SYMBOLS.values())})|({_any_of(*NUMBERED.values())})(?=\d))"
    rf"{_END}{_BEHIND}{_JOINT}"
)
_WORD_FIRST = rf"{_PREFIX}{_BEFORE}({_LONG}){_END}{_BEHIND}{_JOINT}"
# The joint before a quantity: elbow.pos, A1_ActPos, J1Pos, ShoulderPos.
_JOINT_FIRST = (
    rf"{_PREFIX}(.+?)(?:{_GAP}+|(?<=\d)|(?-i:(?<=[a-z])(?=[A-Z]))){_BEFORE}"
    rf"({_LONG}|{_any_of(AFTER_JOINT)}){_BEHIND}$"
)
_TIME = (
    r"^[%_]*(?:(?:robot|controller|header|state)[._/\s])?(?:stamp[._/]|time[._/])?"
    r"(t|times?|zeit|timestamps?|time[_\s]?stamps?|stamp|elapsed(?:[_\s]?time)?|time[_\s]elapsed"
    r"|time_cont|duration|ipoc|t?secs?|seconds?|t?nanosecs?|t?nsecs?|nanoseconds?)"
    r"(?:[_\s]?(s|secs?|seconds?|ms|millis(?:econds?)?"
    r"|us|micros(?:econds?)?|ns|nanos(?:econds?)?))?$"
)
_EPISODE = r"^episode(?:_?(?:index|id|number))?$"
_STATE = rf"^observations?{_GAP}state{_GAP}*[\[(]?(.+?)[\])]?$"
_NEXT = rf"(?={_GAP}|\d|[\[(]|$|{_BEFORE}(?:{_LONG}))"
_OTHER = rf"(?:^|{_GAP}|(?<=\d))(?:{_any_of(NOT_MEASURED)}){_NEXT}"
_COMMAND = rf"(?:^|{_GAP}|(?<=\d))(?:{_any_of(COMMANDS)}){_NEXT}{_GAP}*"
# Franka's mark of goals, before an index: q_d[0], tau_J_d[0].
_DESIRED = rf"^(.*?(?:{_any_of(*SYMBOLS.values())}))_d(?=\s*[\[(]|{_GAP}?\d+$)(.*)$"
_COMPUTED = rf"(?:^|{_GAP})(?:{_any_of(COMPUTED)})(?:{_GAP}|\d|[\[(]|$)"
_CARTESIAN = rf"^(?:{_GAP}*(?:{_any_of(CARTESIAN)}))+$"
_BEGINS_WITH_WORD = rf"^{_BEFORE}(?:{_LONG}){_END}"
_HAS_WORD = rf"(?:^|{_GAP}|(?<=\d)){_BEFORE}(?:{_LONG}){_END}"

# Units in names: in brackets, or after a gap at the end or before the number of the joint. Units
# of one letter there could be the name of a joint, but after a current.
_BRACKETS = r"\s*[\[({<]\s*([^\]\[(){}<>]*[^\d\s\]\[(){}<>][^\]\[(){}<>]*)\s*[\])}>]"
_LETTERS = (
    r"(?:deg|rad)(?:_?(?:per_?|p|/)?_?s(?:ec)?(?:\^?2)?)?|degrees?|radians?|mrad|dps|rpm|m?nm"
    r"|ncm|nmm|nanoseconds?|nsecs?|ns|us|ms|ma|milliamps?|amps?|amperes?|percent|pct|permille|counts?|ticks?|raw"
)
_ENDING = rf"^(.+?)[_\s.]({_LETTERS})(?:_?(\d+))?$"
_AMPERES = r"^(.+?\d)[_\s.](a)$"
_JOINT_ALONE = rf"^(?:joint|jnt|axis|a|j|motor|servo|m){_GAP}*\d+$"
# Dynamixel Wizard writes the number of the drive first: [ID:001] Present Position.
_DRIVE = r"^\[\s*id\s*:?\s*0*(\d+)\s*\]\s*(?=\S)"
_SI_NAME = r"^([a-z]+)_(.*) \[si\]$"


@cache
def _form(pattern: str) -> re.Pattern[str]:
    """Return a pattern, compiled when it is first used: all of them take 20 ms."""
    return re.compile(pattern, re.I | re.S)


@lru_cache(maxsize=4096)
def meaning(name: str) -> Meaning | None:
    """Return the meaning of a column name; None if it is not a quantity of an arm."""
    text = _form(_DRIVE).sub(r"id\1 ", name.strip())
    if (written := _form(_SI_NAME).match(text)) and written[1].lower() in (*ROLES, "command"):
        # armdyn's own name of a column: what follows the quantity is the joint
        role = "q_cmd" if written[1].lower() == "command" else written[1].lower()
        return Meaning(role, written[2], word=_bare(role))
    if len(text) > LONGEST_NAME:
        return None
    for bare, unit in _readings(text):
        found = _meaning(bare)
        if (
            (found is None or found.word in NEEDS_JOINT)
            and unit
            and _form(_JOINT_ALONE).match(bare)
        ):
            # "A1 [deg]": the unit tells the quantity
            roles = [role for role, units in OWN_UNITS.items() if unit in units]
            found = Meaning(roles[0], bare, word=unit) if roles else found
        if found is not None:
            return _with_unit(found, unit)
    return None


def is_measured(name: str) -> bool:
    """Whether no word of a name says that it is a goal, an error or a limit."""
    return (
        not _form(_OTHER).search(name)
        and not _form(_COMMAND).search(name)
        and not _form(_DESIRED).match(name)
    )


def is_computed_torque(name: str) -> bool:
    """Whether a name is that of a torque that a controller computes: target_moment_0 of UR."""
    words = _form(_COMMAND).sub("_", name.rsplit(".", 1)[-1]).strip("_")
    found = None if words == name else meaning(words)
    return found is not None and found.role == "tau"


def unit_in(name: str, role: str) -> str | None:
    """Return the unit that a name has in brackets or at its end: one of the quantity, or "si"."""
    units = [spelling(found[1]) for found in _form(_BRACKETS).finditer(name)]
    units += [unit for _, unit in _readings(name.strip()[:LONGEST_NAME]) if unit]
    return next((unit for unit in units if unit == SI or unit in UNITS[role]), None)


def without_unit(name: str) -> str:
    """Return a name without the unit of an angle or a length that it ends in."""
    text = name.strip()[:LONGEST_NAME]
    return next((bare for bare, unit in _readings(text) if unit in UNITS["q"]), text)


def joint_key(label: str) -> str:
    """Return what two spellings of a joint have in common: A1, Axis 1 and joint_1 are 1."""
    found = re.match(
        rf"^(?:joint|jnt|axis|a|j|m|motor|servo|id|q){_GAP}*0*(\d{{1,9}})$|^0*(\d{{1,9}})$",
        label,
        re.I,
    )
    return label.casefold() if found is None else found[1] or found[2]


def pose_in(names: Sequence[str]) -> list[str]:
    """Return the names that are coordinates of a pose."""
    parts = {name: re.split(r"[\s_./]", name.lower().removesuffix(".pos")) for name in names}
    of_stem: dict[tuple[str, ...], set[str]] = {}
    for *stem, last in parts.values():
        of_stem.setdefault(tuple(stem), set()).add(last)
    stems = [stem for stem, ends in of_stem.items() if ends >= set("xyz")]
    return [
        name for name, (*stem, last) in parts.items()
        if stems and (ORIENTATION.search(name) or (tuple(stem) in stems and last in POSE))
    ]  # fmt: skip


def natural(label: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts numbers in names by size: A2 before A10."""
    parts = re.split(r"(\d{1,18})", label.casefold())
    return [(1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts]


def _readings(text: str) -> list[tuple[str, str | None]]:
    """Return the ways to part a name and its unit, the likeliest first."""
    result: list[tuple[str, str | None]] = []
    brackets = [*_form(_BRACKETS).finditer(text)]
    for found in reversed(brackets):
        rest = text[: found.start()] + ("_" if text[found.end() :].strip() else "")
        rest += text[found.end() :].lstrip(" _")
        if is_unit(found[1]):
            return [(rest.strip(), spelling(found[1]))]
        inner = _meaning(rest.strip())
        if inner is not None and (inner.joint is not None or inner.role == "t"):
            result.append((rest.strip(), spelling(found[1])))
    if not _form(_TIME).match(text):
        if found := _form(_ENDING).match(text):
            number = f"_{found[3]}" if found[3] else ""
            result.append((f"{found[1]}{number}", spelling(found[2].replace("_", ""))))
        elif (found := _form(_AMPERES).match(text)) and (inner := _meaning(found[1])):
            result += [(found[1], "a")] if inner.role == "current" else []
    return [*result, (text, None)]


def _with_unit(found: Meaning, unit: str | None) -> Meaning:
    """Return a meaning with the unit of the name, which also tells currents from torques."""
    unit = None if unit == SI else unit or found.unit
    if unit is None and found.word in DEGREE_WORDS:
        unit = "deg"
    role = found.role
    if role == "tau" and unit in CURRENTS:
        role = "current"
    elif role in ("tau", "current") and unit in SHARES:
        role = "load"
    elif role == "current" and unit in TORQUES and found.word != "torquecurrent":
        unit = f"{unit}?"  # a current in N m: neither
    return Meaning(role, found.joint, unit, found.word)


def _meaning(bare: str) -> Meaning | None:
    """Return the meaning of a name without its unit."""
    if _form(_OTHER).search(bare):
        return None
    if found := _form(_DESIRED).match(bare):
        inner = _meaning(f"{found[1]}{found[2]}")
        is_goal = inner is not None and inner.role in ("q", "q_cmd")
        return Meaning("q_cmd", inner.joint, word="qd") if inner and is_goal else None
    if found := _form(_COMMAND).search(bare):
        return _command(bare, found)
    return _quantity(bare)


def _command(name: str, word: re.Match[str]) -> Meaning | None:
    """Return the meaning of a name with a word for goals: ``q_cmd_elbow``, ``goal_elbow``."""
    before, after = name[: word.start()], name[word.end() :]
    gap = "_" if before and after[:1].isalpha() else ""
    rest = f"{before}{gap}{after}"
    if not rest:
        return Meaning("q_cmd", word=_bare(word[0]))
    quantity = _meaning(rest)
    if quantity is None and not (before and after):
        return Meaning("q_cmd", rest.strip(" []()"), word=_bare(word[0]))
    if quantity is None or quantity.role not in ("q", "q_cmd"):
        return None
    return Meaning("q_cmd", quantity.joint, word=_bare(word[0]) + quantity.word)


def _quantity(name: str) -> Meaning | None:
    if _form(_EPISODE).match(name):
        return Meaning("episode")
    if found := _form(_TIME).match(name):
        word, unit = found[1].lower(), found[2]
        if word.removeprefix("t").startswith(("nano", "nsec")):
            return Meaning("nanosec", unit="ns")
        if word.removeprefix("t").startswith("sec"):
            return Meaning("t", unit="s", word="sec")
        return Meaning("t", unit=spelling(unit) if unit else None, word=_bare(name))
    result = _first(_WORD_FIRST, name) or _first(_SYMBOL_FIRST, name)
    if result is None and (found := _form(_JOINT_FIRST).match(name)):
        word = _bare(found[2])
        result = Meaning(ROLE_OF[word], found[1], word=word)
    if result is None:
        found = _form(_STATE).match(name)
        return None if found is None else Meaning("q", found[1], word="state")
    computed = result.role in ("tau", "current") and _form(_COMPUTED).search(result.joint or "")
    return None if computed or _form(_CARTESIAN).match(result.joint or "") else result


def _first(pattern: str, name: str) -> Meaning | None:
    """Return the meaning of a name that begins with the quantity."""
    found = _form(pattern).match(name)
    if found is None:
        return None
    *words, number, index, after = found.groups()
    joint = next((part for part in (number, after, index) if part is not None), None)
    word = _bare(next(part for part in words if part))
    is_letter = word in NEEDS_JOINT
    if is_letter and (joint is None or found.start(1) > 0):
        return None
    # "a.pos" is the position of a joint called a, not an acceleration; "load_torque" is neither
    search = _form(_HAS_WORD).search if is_letter else _form(_BEGINS_WITH_WORD).match
    if joint is not None and after is not None and search(joint):
        return None
    return Meaning(ROLE_OF[word], joint, word=word)
