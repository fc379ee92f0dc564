"""`Viewer`: an arm in a browser that a script moves while it runs."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arm.recording import Recording, recording_of
from armdyn.arm.scene import scene
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_flag, checked_number, checked_positive
from armdyn.errors import ArmdynError, InputError, shown
from armdyn.log.log import Log
from armdyn.robot.drawing import Drawn
from armdyn.robot.drawing import drawn as drawn_parts
from armdyn.robot.files import checked_folders
from armdyn.simulation.figures import run_recording
from armdyn.simulation.run import Run
from armdyn.view.bodies import Bodies, LongBodies, Picture, quaternion, rotation
from armdyn.view.motion import Motion
from armdyn.view.panel import Panel
from armdyn.view.server import (
    LOCAL,
    checked_address,
    checked_extra,
    closed,
    opened,
    shown_in_browser,
    url_of,
)

# Pictures a second, and how often numbers change [1/s]: faster than that nobody reads.
PICTURES, READINGS = 40.0, 8.0
# Samples a second of a run between its own.
RATE = 200.0
# An arm at rest is looked at this often [s] for what changed without notice.
IDLE = 0.5
# Arms of more joints are drawn as a whole: a browser is slow with thousands of nodes.
MOST_NODES = 40
# Triangles of all meshes; larger ones are thinned out.
MOST_TRIANGLES = 200_000


class Viewer:
    """An arm in a browser: moved by hand, by a recording, by its dynamics, and by a script.

    Attributes:
        arm: the arm.
        url: where a browser finds it.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> with arm.view(browser=False) as viewer:
        ...     viewer.q = [0.3, 0.5]
        ...     viewer.q
        array([0.3, 0.5])
    """

    def __init__(self, arm: Arm, host: str, port: int, drawn: Drawn) -> None:
        """Open a viewer; `open_viewer` checks the arguments and reads the meshes."""
        self.arm = arm
        self._server: Any = opened(host, port)
        self.url = url_of(host, self._server.get_port())
        data = scene(arm)
        self._motion = Motion(arm, data["size"], data["spring"])
        self._bodies: Picture = (
            Bodies(self._server, arm, data, drawn)
            if arm.n <= MOST_NODES
            else LongBodies(self._server, arm, data)
        )
        self._wake, self._closing = threading.Event(), threading.Event()
        self._panel = Panel(
            self._server, arm, data, self._motion, self._bodies, self._wake.set, drawn.notes
        )
        # versions of the state that the picture and the numbers show
        self._drawn, self._told, self._told_at = -1, -1, 0.0
        self._at_tip = np.eye(4)
        self._handle: Any = None
        self._dragged_by: int | None = None
        self._add_handle(data["size"])
        self._look(data)
        self._thread = threading.Thread(target=self._run, name="armdyn viewer", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    @property
    def q(self) -> Array:
        """Positions ``(n,)`` [rad or m]; assigning them moves the arm at once."""
        return self._motion.snapshot()[1]

    @q.setter
    def q(self, value: ArrayLike) -> None:
        n = self.arm.n
        self._check_open()
        self._motion.set(checked_array(value, "q", (n,), what=f"{n} finite numbers"))
        self._wake.set()

    @property
    def qd(self) -> Array:
        """Velocities ``(n,)`` [rad/s or m/s], of a recording or of a falling arm."""
        return self._motion.snapshot()[2]

    @property
    def time(self) -> float:
        """Time of the recording [s]."""
        return self._motion.time

    @property
    def mode(self) -> str:
        """What moves the arm: "playing" (a recording), "free" (let go) or "held"."""
        return self._motion.mode

    @property
    def is_open(self) -> bool:
        """Whether the viewer is open."""
        return not self._closing.is_set()

    def play(
        self, motion: Run | Log | None = None, *, speed: float = 1.0, loop: bool = False
    ) -> None:
        """Play a run or a log, or resume the last one.

        Args:
            motion: the run or log; None resumes the last one.
            speed: factor of real time.
            loop: start again at the end.

        Raises:
            InputError: there is nothing to play, or the motion has other joints than the arm.

        Examples:
            >>> run = armdyn.simulate(arm, [0.3, 0.2], until=1.0)
            >>> with arm.view(browser=False) as viewer:
            ...     viewer.play(run)
            ...     viewer.mode
            'playing'
        """
        factor = checked_positive(speed, "speed", what="a factor")
        again = checked_flag(loop, "loop")
        self._check_open()
        if motion is not None:
            self._load(self._recording(motion))
        elif self._motion.recording is None:
            raise InputError(
                "there is nothing to play yet; give a run or a log.", argument="motion"
            )
        self._motion.speed, self._motion.loops = factor, again
        self._panel.tempo(factor, again)
        self._motion.play()
        self._wake.set()

    def pause(self) -> None:
        """Stop playing or falling, and hold the arm where it is.

        Examples:
            >>> run = armdyn.simulate(arm, [0.3, 0.2], until=1.0)
            >>> with arm.view(browser=False) as viewer:
            ...     viewer.play(run)
            ...     viewer.pause()
            ...     viewer.mode
            'held'
        """
        self._motion.pause()
        self._wake.set()

    def seek(self, time: float) -> None:
        """Go to a time of the recording.

        Args:
            time: time [s]; clipped to the recording.

        Examples:
            >>> run = armdyn.simulate(arm, [0.3, 0.2], until=1.0)
            >>> with arm.view(browser=False) as viewer:
            ...     viewer.play(run)
            ...     viewer.pause()
            ...     viewer.seek(0.5)
            ...     viewer.time
            0.5
        """
        self._motion.seek(checked_number(time, "time"))
        self._wake.set()

    def let_go(self) -> None:
        """Let the arm fall by its own dynamics, with friction and stops, in real time.

        Examples:
            >>> with arm.view(browser=False) as viewer:
            ...     viewer.let_go()
            ...     viewer.mode
            'free'
        """
        self._check_open()
        self._motion.let_go()
        self._wake.set()

    def wait(self) -> None:
        """Wait until the viewer is closed or the keyboard interrupts (Ctrl-C).

        Examples:
            >>> viewer = arm.view(browser=False)
            >>> viewer.close()
            >>> viewer.wait()
        """
        try:
            while not self._closing.wait(IDLE):
                pass
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """Close the viewer; open pages report that the connection is lost.

        Examples:
            >>> viewer = arm.view(browser=False)
            >>> viewer.close()
            >>> viewer.is_open
            False
        """
        if self._closing.is_set():
            return
        atexit.unregister(self.close)
        self._closing.set()
        self._wake.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=5.0)
        closed(self._server)

    def __enter__(self) -> Viewer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = self.url if self.is_open else "closed"
        return f"<Viewer of {self.arm.name!r}: {state}>"

    def _check_open(self) -> None:
        if self._closing.is_set():
            raise InputError("the viewer is closed; open another one by arm.view().")

    def _recording(self, motion: object) -> Recording:
        if isinstance(motion, Log):
            return recording_of(self.arm, motion)
        if not isinstance(motion, Run):
            raise InputError(
                f"`motion` is {shown(motion)}, expected a run of armdyn.simulate() or an "
                "armdyn.Log; read a file by armdyn.Log.read().",
                argument="motion",
            )
        if motion.batch is not None:
            raise InputError(
                f"`motion` is a run of {motion.batch} arms: take run[k].", argument="motion"
            )
        if motion.arm.n != self.arm.n:
            raise InputError(
                f"`motion` is a run of {motion.arm.name!r} with {motion.arm.n} joints, but "
                f"{self.arm.name!r} has {self.arm.n}.",
                argument="motion",
            )
        count = int(float(motion.t[-1] - motion.t[0]) * RATE)
        return run_recording(motion, min(count, 40_000) + 1)

    def _load(self, recording: Recording) -> None:
        recording = recording.thinned()
        self._motion.load(recording)
        self._panel.load(recording)

    def _look(self, data: dict[str, Any]) -> None:
        """Put the camera where the whole arm is seen."""
        up, centre, size = np.array(data["up"]), np.array(data["centre"]), data["size"]
        ahead = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
        ahead = ahead - up * float(ahead @ up)
        ahead /= np.linalg.norm(ahead)
        aside = np.cross(up, ahead)
        camera = self._server.initial_camera
        camera.up, camera.look_at = up, centre
        camera.fov = 0.7
        camera.position = centre + size * (1.75 * ahead + 1.35 * aside + 0.9 * up)
        camera.near, camera.far = 0.01 * size, 100.0 * size

    def _add_handle(self, size: float) -> None:
        """Add the handle at the tip."""
        self._handle = self._server.scene.add_transform_controls(
            "/handle", scale=0.22 * size, disable_sliders=True, depth_test=False,
            disable_rotations=self.arm.n < 6, line_width=3.0,
        )  # fmt: skip

        @self._handle.on_update
        async def _(event: Any) -> None:  # pyright: ignore[reportUnusedFunction]
            if event.phase == "end":
                self._dragged_by = None
                self._motion.release()
            else:
                self._dragged_by = event.client_id
                goal = np.eye(4)
                goal[:3, :3] = rotation(event.target.wxyz)
                goal[:3, 3] = event.target.position
                self._motion.drag(goal)
            self._wake.set()

        @self._server.on_client_disconnect
        def _(client: Any) -> None:  # pyright: ignore[reportUnusedFunction]
            if self._dragged_by == client.client_id:  # a page that is closed lets go
                self._dragged_by = None
                self._motion.release()
                self._wake.set()

    def _run(self) -> None:
        """Move and draw until the viewer is closed."""
        last = time.perf_counter()
        while not self._closing.is_set():
            now = time.perf_counter()
            try:
                self._motion.advance(now - last)
                is_busy = self._draw(now) or self._motion.is_moving
            except Exception as error:
                if self._closing.is_set():  # while something was drawn
                    return
                if not isinstance(error, ArmdynError):
                    raise
                self._panel.tell(str(error))
                is_busy = False
            last = now
            rest = 1.0 / PICTURES - (time.perf_counter() - now)
            self._wake.wait(max(0.0, rest) if is_busy else IDLE)
            self._wake.clear()
            if not is_busy:  # nothing moved while it waited
                last = time.perf_counter()

    def _draw(self, now: float) -> bool:
        """Draw the state if it has changed; return whether numbers are to follow."""
        version, q, qd, mode, at, on_recording, said = self._motion.snapshot()
        if version != self._drawn:
            self._drawn = version
            self._at_tip = self._bodies.place(q)
            self._bodies.pull(self._at_tip[:3, 3], self._motion.hand)
            if self._dragged_by is None:
                self._handle.wxyz = quaternion(self._at_tip[:3, :3])
                self._handle.position = self._at_tip[:3, 3]
        if version != self._told and now - self._told_at >= 1.0 / READINGS:
            self._told, self._told_at = version, now
            self._panel.place(q, at)
            self._panel.modes(mode, said)
            self._panel.show(q, qd, self._at_tip, at, on_recording)
        return version != self._told


def open_viewer(
    arm: Arm,
    *,
    port: int | None = None,
    host: str = LOCAL,
    browser: bool = True,
    packages: Sequence[str | os.PathLike[str]] = (),
) -> Viewer:
    """Open a viewer of an arm in a browser; see `Arm.view`.

    Args:
        arm: the arm.
        port: port of the address; if left out, the first free one from 8080 on.
        host: address to listen on; the default admits this machine only.
        browser: open the page in a browser.
        packages: folders in which meshes are searched, besides that of the robot's file.

    Returns:
        The viewer.

    Raises:
        MissingExtraError: the extra "view" is not installed.
        InputError: the port is taken.

    Examples:
        >>> from armdyn.view import open_viewer
        >>> with open_viewer(armdyn.load("planar2"), browser=False) as viewer:
        ...     viewer.is_open
        True
    """
    wanted = checked_flag(browser, "browser")
    folders = checked_folders(packages)
    checked_extra()
    name, number = checked_address(host, port)
    viewer = Viewer(arm, name, number, drawn_parts(arm.robot, folders, most=MOST_TRIANGLES))
    if wanted and not shown_in_browser(viewer.url):
        print(
            f"no browser could be opened here: open {viewer.url} in one. From another machine: "
            f"ssh -L {viewer.url.rpartition(':')[2]}:{LOCAL}:{viewer.url.rpartition(':')[2]} "
            "to this one first.",
            file=sys.stderr,
        )
    return viewer
