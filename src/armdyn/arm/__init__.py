"""Arms, their functions, and how they are loaded and saved.

Each name is imported at its first use.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.arm._arm import Arm
    from armdyn.arm._evaluate import Evaluator
    from armdyn.arm._files import load, save
    from armdyn.arm._function import Function
    from armdyn.arm._link_frames import link_frames, placements_of
    from armdyn.arm.codegen._export_c import budget_of_c, export_c
    from armdyn.arm.kinematics._branch_arrays import Branches
    from armdyn.arm.kinematics._damped_least_squares import Reach
    from armdyn.arm.kinematics._inverse_kinematics import checked_start, reach_of
    from armdyn.arm.kinematics._poses import checked_pose
    from armdyn.arm.kinematics._rotations import rotation_vectors
    from armdyn.arm.page._log_recording import recording_of
    from armdyn.arm.page._page import Page, mesh_folders, player, write_page
    from armdyn.arm.page._recording import Recording
    from armdyn.arm.page._scene import home, scene
    from armdyn.arm.programs._counts import generic_chain, operation_counts
    from armdyn.arm.programs._methods import methods, methods_of, source
    from armdyn.arm.programs._names import AUTO
    from armdyn.arm.programs._parametric import parametric
    from armdyn.arm.programs._parametric import values as parameter_values
    from armdyn.arm.programs._programs import cost
    from armdyn.arm.programs._tracing import operations

__all__ = [
    "AUTO",
    "Arm",
    "Branches",
    "Evaluator",
    "Function",
    "Page",
    "Reach",
    "Recording",
    "budget_of_c",
    "checked_pose",
    "checked_start",
    "cost",
    "export_c",
    "generic_chain",
    "home",
    "link_frames",
    "load",
    "mesh_folders",
    "methods",
    "methods_of",
    "operation_counts",
    "operations",
    "parameter_values",
    "parametric",
    "placements_of",
    "player",
    "reach_of",
    "recording_of",
    "rotation_vectors",
    "save",
    "scene",
    "source",
    "write_page",
]

__getattr__ = lazy_names(
    __name__,
    {
        "AUTO": "programs._names",
        "Arm": "_arm",
        "Branches": "kinematics._branch_arrays",
        "Evaluator": "_evaluate",
        "Function": "_function",
        "Page": "page._page",
        "Reach": "kinematics._damped_least_squares",
        "Recording": "page._recording",
        "budget_of_c": "codegen._export_c",
        "checked_pose": "kinematics._poses",
        "checked_start": "kinematics._inverse_kinematics",
        "cost": "programs._programs",
        "export_c": "codegen._export_c",
        "generic_chain": "programs._counts",
        "home": "page._scene",
        "link_frames": "_link_frames",
        "load": "_files",
        "mesh_folders": "page._page",
        "methods": "programs._methods",
        "methods_of": "programs._methods",
        "operation_counts": "programs._counts",
        "operations": "programs._tracing",
        "parameter_values": "programs._parametric:values",
        "parametric": "programs._parametric",
        "placements_of": "_link_frames",
        "player": "page._page",
        "reach_of": "kinematics._inverse_kinematics",
        "recording_of": "page._log_recording",
        "rotation_vectors": "kinematics._rotations",
        "save": "_files",
        "scene": "page._scene",
        "source": "programs._methods",
        "write_page": "page._page",
    },
)
