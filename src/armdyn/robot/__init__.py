"""Robot descriptions: their classes, file formats, and the constants that algorithms use.

Each name is imported at its first use.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.robot._bundled import BundledName, bundled_names
    from armdyn.robot._chain import (
        BASES,
        FIXED,
        MOVING,
        TRANSLATING,
        BaseMotion,
        Chain,
        Link,
        Symmetric,
        Vector,
        chain_of,
        exact_cos_sin,
    )
    from armdyn.robot._files import (
        check_written,
        checked_folders,
        into_options,
        name_into,
        not_seen_in,
        read_robot,
        text_into,
        write_robot,
    )
    from armdyn.robot._generic import generic
    from armdyn.robot._joint import Joint
    from armdyn.robot._leniency import WAIVABLE
    from armdyn.robot._named_frame import NamedFrame
    from armdyn.robot._robot import IDENTITY, Placement, Robot
    from armdyn.robot._shape import Shape
    from armdyn.robot._standard_dh import from_standard_dh
    from armdyn.robot.formats._placement import quaternion_of, quaternion_rotation
    from armdyn.robot.formats._registry import suffixes_in_words
    from armdyn.robot.formats._toml import toml_text
    from armdyn.robot.formats.urdf import urdf_text
    from armdyn.robot.friction import FRICTION_TERMS, FrictionTerm

__all__ = [
    "BASES",
    "FIXED",
    "FRICTION_TERMS",
    "IDENTITY",
    "MOVING",
    "TRANSLATING",
    "WAIVABLE",
    "BaseMotion",
    "BundledName",
    "Chain",
    "FrictionTerm",
    "Joint",
    "Link",
    "NamedFrame",
    "Placement",
    "Robot",
    "Shape",
    "Symmetric",
    "Vector",
    "bundled_names",
    "chain_of",
    "check_written",
    "checked_folders",
    "exact_cos_sin",
    "from_standard_dh",
    "generic",
    "into_options",
    "name_into",
    "not_seen_in",
    "quaternion_of",
    "quaternion_rotation",
    "read_robot",
    "suffixes_in_words",
    "text_into",
    "toml_text",
    "urdf_text",
    "write_robot",
]

__getattr__ = lazy_names(
    __name__,
    {
        "BASES": "_chain",
        "BaseMotion": "_chain",
        "FIXED": "_chain",
        "MOVING": "_chain",
        "TRANSLATING": "_chain",
        "Chain": "_chain",
        "FRICTION_TERMS": "friction",
        "FrictionTerm": "friction",
        "IDENTITY": "_robot",
        "Joint": "_joint",
        "Link": "_chain",
        "NamedFrame": "_named_frame",
        "Placement": "_robot",
        "Robot": "_robot",
        "Shape": "_shape",
        "Symmetric": "_chain",
        "Vector": "_chain",
        "WAIVABLE": "_leniency",
        "BundledName": "_bundled",
        "bundled_names": "_bundled",
        "chain_of": "_chain",
        "check_written": "_files",
        "checked_folders": "_files",
        "exact_cos_sin": "_chain",
        "from_standard_dh": "_standard_dh",
        "generic": "_generic",
        "into_options": "_files",
        "name_into": "_files",
        "not_seen_in": "_files",
        "quaternion_of": "formats._placement",
        "quaternion_rotation": "formats._placement",
        "read_robot": "_files",
        "suffixes_in_words": "formats._registry",
        "text_into": "_files",
        "toml_text": "formats._toml",
        "urdf_text": "formats.urdf",
        "write_robot": "_files",
    },
)
