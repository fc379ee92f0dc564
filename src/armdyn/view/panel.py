"""The panel beside the picture: sliders, switches, the player and the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from armdyn.arm.arm import Arm
from armdyn.arm.recording import Recording
from armdyn.arrays import Array
from armdyn.view.bodies import JOINTS, Picture
from armdyn.view.motion import Motion, at
from armdyn.view.numbers import Numbers, Plots, header

# Longer names are cut in labels; the table of torques has the whole.
LONGEST_LABEL = 22
# Longer arms have one slider for a joint that is chosen.
MOST_SLIDERS = 40
# Parts of the range of a slider.
FINE = 2000
# Factors of real time to choose from.
SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0)


class Panel:
    """The controls of a viewer."""

    def __init__(
        self,
        server: Any,
        arm: Arm,
        scene: dict[str, Any],
        motion: Motion,
        bodies: Picture,
        changed: Callable[[], None],
        notes: Sequence[str] = (),
    ) -> None:
        """Draw the controls.

        Args:
            server: of viser.
            arm: the arm.
            scene: its data for drawing.
            motion: what the controls change.
            bodies: what the switches show.
            changed: called after a change.
            notes: what a person should know of the picture, a sentence each.
        """
        self._gui, self._arm, self._joints = server.gui, arm, scene["joints"]
        self._motion, self._bodies, self._changed = motion, bodies, changed
        hues = [f"rgb{JOINTS[k % len(JOINTS)]}" for k in range(arm.n)]
        self._numbers = Numbers(arm, scene, hues)
        self._plots: Plots | None = None
        self._chosen = 0
        mass = sum(joint.mass for joint in arm.robot.joints)
        self._about = f"{arm.n} joints, {mass:.4g} kg"
        self._notes = tuple(notes)
        self._head = self._gui.add_html("")
        self.tell("")
        self._player_part()
        self._motion_part()
        self._sliders_part(motion.q)
        self._switches_part()
        self._torques = self._gui.add_html("")
        self._state = self._gui.add_html("")

    # -- the parts of the panel -------------------------------------------------------------------

    def _motion_part(self) -> None:
        gui = self._gui
        self._go = gui.add_button("Let go", hint="Let the arm fall; drag the handle to pull it.")
        self._reset = gui.add_button("Reset", hint="Back to the first pose.")
        self._friction = gui.add_checkbox("friction, let go", True)

        @self._go.on_click
        def _(_: Any) -> None:
            self._motion.pause() if self._motion.mode == "free" else self._motion.let_go()
            self._changed()

        @self._reset.on_click
        def _(_: Any) -> None:
            self._motion.reset()
            self._changed()

        @self._friction.on_update
        def _(event: Any) -> None:
            self._motion.set_friction(bool(event.target.value))
            self._changed()

    def _sliders_part(self, q: Array) -> None:
        self._sliders: list[Any] = []
        self._which: Any = None
        with self._gui.add_folder("Joints [rad, m]"):
            if self._arm.n > MOST_SLIDERS:
                names = [_label(k, joint["name"]) for k, joint in enumerate(self._joints)]
                self._which = self._gui.add_dropdown("joint", names, initial_value=names[0])

                @self._which.on_update
                def _(event: Any) -> None:
                    if event.client is not None:
                        self.choose(names.index(event.target.value))
                        self._sliders[0].min, self._sliders[0].max = _range(
                            self._joints[self._chosen]
                        )
                        self._changed()

            for k in range(self._arm.n if self._which is None else 1):
                self._sliders.append(self._slider(k, float(q[k])))

    def _slider(self, k: int, value: float) -> Any:
        joint = self._joints[k]
        low, high = _range(joint)
        slider = self._gui.add_slider(
            joint["name"][:LONGEST_LABEL] if self._which is None else "position",
            min=low, max=high, step=_step(low, high), initial_value=min(max(value, low), high),
            hint=joint["name"],
        )  # fmt: skip

        @slider.on_update
        async def _(event: Any) -> None:  # pyright: ignore[reportUnusedFunction]
            if event.client is None:  # moved by the arm, not by a hand
                return
            self._motion.set_joint(
                k if self._which is None else self._chosen, float(event.target.value)
            )
            self._changed()

        return slider

    def _switches_part(self) -> None:
        with self._gui.add_folder("Show", expand_by_default=False):
            for name, nodes in self._bodies.groups.items():
                if not nodes:
                    continue
                box = self._gui.add_checkbox(name, self._bodies.is_shown(name))

                @box.on_update
                def _(event: Any, name: str = name) -> None:
                    self._bodies.show(name, bool(event.target.value))

    def _player_part(self) -> None:
        gui = self._gui
        self._player = gui.add_folder("Recording", visible=False)
        with self._player:
            self._play = gui.add_button("Play")
            self._scrub = gui.add_slider("time [s]", 0.0, 1.0, 1e-3, 0.0)
            self._speed = gui.add_dropdown("speed", [*map(_times, SPEEDS)], initial_value="1 ×")
            self._loop = gui.add_checkbox("loop", False)
            self._joint = gui.add_dropdown("curves of", ["1"], initial_value="1")
            self._curves = gui.add_html("")

        @self._play.on_click
        def _(_: Any) -> None:
            self._motion.pause() if self._motion.mode == "playing" else self._motion.play()
            self._changed()

        @self._scrub.on_update
        async def _(event: Any) -> None:
            if event.client is not None:
                self._motion.pause()
                self._motion.seek(float(event.target.value))
                self._changed()

        @self._speed.on_update
        def _(event: Any) -> None:
            if event.client is not None:
                self._motion.speed = float(event.target.value.partition(" ")[0])

        @self._loop.on_update
        def _(event: Any) -> None:
            if event.client is not None:
                self._motion.loops = bool(event.target.value)

        @self._joint.on_update
        def _(event: Any) -> None:
            if event.client is not None:
                self.choose(self._joint.options.index(event.target.value))
                self._changed()

    # -- what is shown ----------------------------------------------------------------------------

    def choose(self, k: int) -> None:
        """Choose the joint whose curves are shown."""
        self._chosen = k
        self._motion.touch()

    def load(self, recording: Recording) -> None:
        """Show the controls of a recording."""
        self._plots = Plots(recording, self._joints)
        self._about = f"{self._about.partition(';')[0]}; {recording.about}"
        first, last = float(recording.t[0]), float(recording.t[-1])
        last = max(last, first + 1e-6)
        self._scrub.min, self._scrub.max = first, last
        self._scrub.step, self._scrub.value = _step(first, last), first
        names = tuple(_label(k, joint["name"]) for k, joint in enumerate(self._joints))
        self._joint.options = names
        self._joint.value = names[self._chosen]
        self._play.disabled = len(recording.t) < 2
        self._player.visible = True
        self.tell("")

    def tempo(self, speed: float, loops: bool) -> None:
        """Show how a script plays the recording."""
        self._speed.options = tuple(_times(x) for x in sorted({*SPEEDS, speed}))
        self._speed.value, self._loop.value = _times(speed), loops

    def tell(self, said: str) -> None:
        """Show a sentence in the head of the panel, before those that stay there."""
        recording = self._motion.recording
        notes = [*([said] if said else []), *self._notes]
        notes += [] if recording is None else recording.notes
        # viser sends only what has changed
        self._head.content = header(self._arm.name, self._about, notes)

    def place(self, q: Array, time: float) -> None:
        """Move the sliders to a state."""
        shown = enumerate(q) if self._which is None else [(0, q[self._chosen])]
        for k, x in shown:
            slider = self._sliders[int(k)]
            slider.value = min(max(float(x), slider.min), slider.max)
        if self._plots is not None:
            self._scrub.value = min(max(time, self._scrub.min), self._scrub.max)

    def show(self, q: Array, qd: Array, tip: Array, time: float, on_recording: bool) -> None:
        """Show the numbers of a state."""
        recording = self._motion.recording
        measured = None
        if recording is not None and recording.tau is not None and on_recording:
            measured = at(recording.tau, recording.t, time)
        self._torques.content = self._numbers.torques(q, measured)
        self._state.content = self._numbers.state(q, qd, tip)
        if self._plots is not None:
            self._curves.content = self._plots.at(self._chosen, time)

    def modes(self, mode: str, said: str) -> None:
        """Name the buttons for what they do next."""
        self._go.label = "Hold" if mode == "free" else "Let go"
        self._play.label = "Pause" if mode == "playing" else "Play"
        self.tell(said)


def _label(k: int, name: str) -> str:
    """Return the name of a joint for a list: cut, and with its number, so that all differ."""
    return f"{k + 1}: {name[:LONGEST_LABEL]}"


def _times(speed: float) -> str:
    return f"{speed!r} ×".replace(".0 ×", " ×")


def _range(joint: dict[str, Any]) -> tuple[float, float]:
    """Return the ends of a slider: the limits, or a turn, or a metre each way."""
    reach = math.pi if joint["revolute"] else 1.0
    low, high = joint["lower"], joint["upper"]
    if low is None:
        low = min(-reach, (0.0 if high is None else high) - reach)
    if high is None:
        high = max(reach, low + reach)
    return float(low), float(max(high, low + 1e-9))


def _step(low: float, high: float) -> float:
    """Return the step of a slider: a power of ten, some thousand of them."""
    return 10.0 ** math.floor(math.log10((high - low) / FINE))
