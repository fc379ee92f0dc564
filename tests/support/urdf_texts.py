"""Small URDFs written by hand, made from pieces so that a test can break one of them."""

from __future__ import annotations

INERTIAL = (
    '<inertial><origin xyz="0 0 0.1" rpy="0.3 0 0"/><mass value="2"/>'
    '<inertia ixx="0.03" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.04"/></inertial>'
)
LIMIT = '<limit lower="-1" upper="2" effort="30" velocity="3"/>'


def robot(*parts: str) -> str:
    return '<?xml version="1.0"?>\n<robot name="arm">\n' + "\n".join(parts) + "\n</robot>\n"


def links(*names: str, inertial: str = INERTIAL) -> str:
    return "\n".join(f'<link name="{name}">{inertial}</link>' for name in names)


def joint(
    name: str, parent: str, child: str, kind: str = "revolute", inside: str = LIMIT,
    origin: str = '<origin xyz="0 0 0.4"/>', axis: str = '<axis xyz="0 1 0"/>',
) -> str:  # fmt: skip
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f"{origin}{axis}{inside}</joint>"
    )


def fixed(name: str, parent: str, child: str) -> str:
    return joint(name, parent, child, "fixed", inside="", axis="")


def version(number: str, urdf: str) -> str:
    """Return a URDF that declares a version of the format."""
    return urdf.replace("<robot ", f'<robot version="{number}" ')


# base -j1- a -j2- b -tool_joint- tool
ARM = robot(
    links("base", "a", "b"), '<link name="tool"/>',
    joint("j1", "base", "a", axis='<axis xyz="0 0 1"/>'), joint("j2", "a", "b"),
    fixed("tool_joint", "b", "tool"),
)  # fmt: skip
