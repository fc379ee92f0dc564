"""Small MJCF texts for tests, and MuJoCo's answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import mujoco
import numpy as np

from armdyn import Arm, Robot
from armdyn.robot.formats.geometry import at_zero
from support.urdf_compare import mass_matrix, torques

# Frames of bodies and of sites that are compared: each is a program of its own.
MOST_FRAMES = 3

TWO_LINKS = """<mujoco model="two">
  <compiler angle="radian"/>
  <worldbody>
    <body name="upper" pos="0 0 0.1">
      <inertial pos="0.1 0 0.02" mass="2" diaginertia="0.01 0.02 0.025"/>
      <joint name="shoulder" axis="0 1 0" range="-2 2" armature="0.1" damping="0.5"/>
      <body name="lower" pos="0.4 0 0">
        <inertial pos="0.2 0.01 0" mass="1" fullinertia="0.004 0.01 0.011 0.001 0.0005 -0.0002"/>
        <joint name="elbow" axis="0 1 0" frictionloss="0.3"/>
        <body name="hand" pos="0.3 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def mjcf(bodies: str, more: str = "", compiler: str = 'angle="radian"') -> str:
    """A model of these bodies."""
    return f"<mujoco><compiler {compiler}/>{more}<worldbody>{bodies}</worldbody></mujoco>"


def random_mjcf(seed: int) -> str:
    """A chain with side branches: all ways to write orientations, joints, inertias, defaults."""
    return _Writer(np.random.default_rng(seed)).text()


class _Writer:
    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.degree = bool(rng.random() < 0.5)
        self.order = "".join(rng.choice(list("xyzXYZ"), 3))
        self.count = 0
        self.joints: list[str] = []

    def text(self) -> str:
        rng = self.rng
        bodies = self.body(int(rng.integers(2, 6)), main=True)
        gravity = self.vector(5.0)
        unit = "degree" if self.degree else "radian"
        actuators = "".join(
            f'<motor joint="{joint}" gear="{rng.uniform(1, 9):.3f}" '
            f'armature="{rng.uniform(0, 0.01):.5f}" damping="{rng.uniform(0, 0.01):.5f}"/>'
            for joint in self.joints
            if rng.random() < 0.3
        )
        return (
            f'<mujoco model="random"><compiler angle="{unit}" eulerseq="{self.order}"/>'
            f'<option gravity="{gravity}"/>'
            '<default><joint damping="0.25"/><default class="strong"><joint armature="0.75" '
            'frictionloss="0.5"/></default></default>'
            f"<worldbody>{bodies}</worldbody><actuator>{actuators}</actuator></mujoco>"
        )

    def vector(self, size: float = 0.5) -> str:
        return " ".join(f"{x:.6f}" for x in self.rng.normal(size=3) * size)

    def angle(self) -> float:
        return float(self.rng.uniform(-3, 3)) * (57.29578 if self.degree else 1.0)

    def turn(self) -> str:
        rng = self.rng
        match int(rng.integers(6)):
            case 0:
                return ""
            case 1:
                return f'quat="{rng.normal():.5f} {self.vector()}"'
            case 2:
                return f'euler="{self.angle():.5f} {self.angle():.5f} {self.angle():.5f}"'
            case 3:
                return f'axisangle="{self.vector()} {self.angle():.5f}"'
            case 4:
                return f'xyaxes="{self.vector()} {self.vector()}"'
            case _:
                return f'zaxis="{self.vector()}"'

    def joint(self) -> str:
        rng = self.rng
        self.count += 1
        name = f"j{self.count}"
        self.joints.append(name)
        slide = rng.random() < 0.3
        words = [f'name="{name}" axis="{self.vector()}"', f'type="{"slide" if slide else "hinge"}"']
        if rng.random() < 0.5:
            words.append(f'pos="{self.vector()}"')
        if rng.random() < 0.5:
            words.append(f'ref="{rng.normal() if slide else self.angle():.5f}"')
        if rng.random() < 0.4:
            words.append('class="strong"')
        if rng.random() < 0.3:
            words.append('armature="0.125"')
        return f"<joint {' '.join(words)}/>"

    def inertial(self) -> str:
        rng = self.rng
        start = f'<inertial mass="{rng.uniform(0.1, 3):.4f}" pos="{self.vector(0.2)}"'
        a, b = rng.uniform(0.01, 0.05, 2)
        if rng.random() < 0.5:
            shape = f"{a:.6f} {b:.6f} {(a + b) * 0.9:.6f}"
            return f'{start} diaginertia="{shape}" {self.turn()}/>'
        root = rng.normal(size=(3, 3)) * 0.1
        masses = root @ root.T
        full = np.trace(masses) * np.eye(3) - masses
        listed = [full[k] for k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        return f'{start} fullinertia="{" ".join(f"{x:.9f}" for x in listed)}"/>'

    def body(self, depth: int, main: bool) -> str:
        rng = self.rng
        self.count += 1
        name = f"b{self.count}"
        joints = "".join(self.joint() for _ in range(int(rng.choice([0, 1, 1, 1, 2, 3]))))
        if main and depth == 1:
            joints = joints or self.joint()
        has_geom = rng.random() < 0.3
        mass = (
            f'<geom type="box" size="0.1 0.05 0.2" pos="{self.vector(0.1)}" {self.turn()}/>'
            if has_geom
            else self.inertial()
        )
        site = f'<site name="s{self.count}" pos="{self.vector()}" {self.turn()}/>'
        inner = self.body(depth - 1, main=True) if main and depth > 1 else ""
        side = self.body(1, main=False) if rng.random() < 0.3 else ""
        if rng.random() < 0.3:
            inner = f'<frame pos="{self.vector()}" {self.turn()}>{inner}</frame>'
        return (
            f'<body name="{name}" pos="{self.vector()}" {self.turn()}>{mass}{joints}{site}'
            f"{inner}{side}</body>"
        )


@dataclass
class Differences:
    """Largest differences from MuJoCo, relative to the largest entry or 1."""

    mass_matrix: float = 0.0
    bias: float = 0.0
    gravity: float = 0.0
    pose: float = 0.0
    jacobian: float = 0.0
    frames: int = 0

    def worst(self) -> float:
        return max(self.mass_matrix, self.bias, self.gravity, self.pose, self.jacobian)


def without_assets(path: Path) -> mujoco.MjModel:
    """MuJoCo's model of a file whose meshes are missing."""
    spec = mujoco.MjSpec.from_file(str(path))
    for parts in (spec.geoms, spec.keys, spec.meshes, spec.materials, spec.textures, spec.sensors,
                  spec.pairs):  # fmt: skip
        for part in list(parts):
            spec.delete(part)
    return spec.compile()


class Reference:
    """An arm on plain numbers, without compiled functions."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self.n = robot, robot.n
        self.joint_names = tuple(joint.name for joint in robot.joints)
        self.frames = {frame.name: frame for frame in robot.frames}

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        return mass_matrix(self.robot, q)

    def bias(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return torques(self.robot, q, qd, np.zeros(self.n))

    def gravity(self, q: np.ndarray) -> np.ndarray:
        return torques(self.robot, q, np.zeros(self.n), np.zeros(self.n))

    def pose(self, q: np.ndarray, frame: str) -> np.ndarray:
        found = self.frames[frame]
        return self._links(q)[found.link] @ np.array(found.placement)

    def jacobian(self, q: np.ndarray, frame: str) -> np.ndarray:
        links, at = self._links(q), self.pose(q, frame)[:3, 3]
        J = np.zeros((6, self.n))
        for k, joint in enumerate(self.robot.joints[: self.frames[frame].link]):
            z, origin = links[k + 1][:3, 2], links[k + 1][:3, 3]
            if joint.is_revolute:
                J[:3, k], J[3:, k] = np.cross(z, at - origin), z
            else:
                J[:3, k] = z
        return J

    def _links(self, q: np.ndarray) -> list[np.ndarray]:
        """The frame of the base, and E_1 to E_n."""
        found = [np.eye(4)]
        T = np.array(self.robot.base)
        for joint, value in zip(self.robot.joints, q, strict=True):
            turn, slide = (value, 0.0) if joint.is_revolute else (0.0, value)
            T = T @ at_zero(replace(joint, theta=joint.theta + turn, d=joint.d + slide))
            found.append(T)
        return found


def differences(robot: Arm | Robot, model: mujoco.MjModel, states: int = 3) -> Differences:
    """How an arm differs from MuJoCo's model of the same file, other joints being at qpos0.

    The functions of an `Arm` are compiled; a `Robot` is computed on plain numbers.
    """
    arm = Reference(robot) if isinstance(robot, Robot) else robot
    data = mujoco.MjData(model)
    numbers = [model.joint(name).id for name in arm.joint_names]
    dofs, places = model.jnt_dofadr[numbers], model.jnt_qposadr[numbers]
    rng = np.random.default_rng(0)
    found = Differences()
    bodies = [model.body(k).name for k in range(model.nbody)]
    named = [name for name in bodies if name and name in arm.frames][-MOST_FRAMES:]
    others = {*bodies, *(model.joint(k).name for k in range(model.njnt))}
    sites = [model.site(k).name for k in range(model.nsite)]
    sites = [name for name in sites if name in arm.frames and name not in others][-MOST_FRAMES:]
    for _ in range(states):
        q, qd = rng.uniform(-2, 2, (2, arm.n))
        data.qpos[:], data.qvel[:] = model.qpos0, 0.0
        data.qpos[places] = q
        mujoco.mj_forward(model, data)
        found.gravity = max(found.gravity, _apart(arm.gravity(q), data.qfrc_bias[dofs]))
        for name in named:
            at = data.body(name)
            pose = np.column_stack([at.xmat.reshape(3, 3), at.xpos])
            J = np.zeros((6, model.nv))
            mujoco.mj_jacBody(model, data, J[:3], J[3:], at.id)
            found.pose = max(found.pose, _apart(arm.pose(q, frame=name)[:3], pose))
            found.jacobian = max(found.jacobian, _apart(arm.jacobian(q, frame=name), J[:, dofs]))
        for name in sites:
            at = data.site(name)
            pose = np.column_stack([at.xmat.reshape(3, 3), at.xpos])
            found.pose = max(found.pose, _apart(arm.pose(q, frame=name)[:3], pose))
        data.qvel[dofs] = qd
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        found.mass_matrix = max(
            found.mass_matrix, _apart(arm.mass_matrix(q), M[np.ix_(dofs, dofs)])
        )
        found.bias = max(found.bias, _apart(arm.bias(q, qd), data.qfrc_bias[dofs]))
    found.frames = len(named) + len(sites)
    return found


def _apart(ours: np.ndarray, theirs: np.ndarray) -> float:
    return float(np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max()))
