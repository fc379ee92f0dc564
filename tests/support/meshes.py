"""Robot files with meshes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import armdyn


def urdf_with_meshes(folder: Path) -> Path:
    """A file whose first link is a mesh, and whose second one names a mesh that is not there."""
    corners = np.random.default_rng(0).uniform(-0.2, 0.2, (40, 3, 3))
    lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in corners.reshape(-1, 3)]
    lines += [f"f {3 * k + 1} {3 * k + 2} {3 * k + 3}" for k in range(len(corners))]
    (folder / "link1.obj").write_text("\n".join(lines))
    armdyn.save(armdyn.load("planar2"), folder / "arm.urdf")
    text = (folder / "arm.urdf").read_text()
    mesh = '<visual><geometry><mesh filename="{}"/></geometry></visual></link>'
    first, second = [part for part in text.split("</link>") if "<inertial" in part][:2]
    text = text.replace(f"{first}</link>", first + mesh.format("link1.obj"))
    text = text.replace(f"{second}</link>", second + mesh.format("package://p/gone.dae"))
    (folder / "arm.urdf").write_text(text)
    return folder / "arm.urdf"
