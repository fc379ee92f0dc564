"""Rotor inertias that a URDF has by Drake's tags, in <transmission>.

    <transmission>
      <joint name="elbow"/>
      <actuator name="motor">
        <drake:rotor_inertia value="1.2e-4"/>  <drake:gear_ratio value="100"/>

The inertia is the rotor's own; the joint feels it times the gear ratio squared. Other readers skip
these tags, so that their mass matrices lack it.
"""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element

from armdyn.robot.formats._records import Fault, listed
from armdyn.robot.formats.urdf._elements import number

INERTIA, RATIO = "rotor_inertia", "gear_ratio"
DRAKE = "drake"


def rotor_inertias(root: Element) -> dict[str, float]:
    """Return the inertias that joints feel from the rotors of their drives, by joint."""
    found: dict[str, float] = {}
    for transmission in root:
        if _name(transmission) != "transmission":
            continue
        values: dict[str, float] = {}
        joints: list[str] = []
        for element in transmission.iter():
            tag = _name(element)
            if tag == "joint" and (name := element.get("name")):
                joints.append(name)
            if tag in (INERTIA, RATIO) and DRAKE in element.tag.rpartition("}")[0]:
                if tag in values:
                    raise Fault(
                        f"<transmission> of joint {_listed(joints)} has several <{tag}>, expected "
                        "one drive for a joint."
                    )
                values[tag] = number(element, "value", f"<{tag}> of joint {_listed(joints)}")
        ratio = values.get(RATIO, 1.0)
        felt = values.get(INERTIA, 0.0) * (ratio * ratio)
        if felt == 0.0:
            continue
        if felt < 0.0:
            raise Fault(f"<{INERTIA}> of joint {_listed(joints)} is negative.")
        if len(joints) != 1:
            raise Fault(
                f"a <transmission> with <{INERTIA}> drives {len(joints)} joints, expected one."
            )
        found[joints[0]] = found.get(joints[0], 0.0) + felt
    return found


def rotor_notes(drives: Mapping[str, float]) -> list[str]:
    """Return a sentence about joints that have a rotor by these tags."""
    if not drives:
        return []
    named = [f"{name} {value:.4g}" for name, value in drives.items()]
    return [
        f"Rotor inertias are those of <drake:{INERTIA}> times <drake:{RATIO}> squared, which most "
        f"other readers skip: {listed(named)}."
    ]


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _listed(joints: list[str]) -> str:
    return listed(joints) or "no name"
