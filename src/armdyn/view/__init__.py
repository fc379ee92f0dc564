"""The viewer: an arm in a browser, live, moved by Python and by hand.

Each name is imported at its first use; `viser` when a viewer opens.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.view._viewer import Viewer, open_viewer

__all__ = ["Viewer", "open_viewer"]

__getattr__ = lazy_names(__name__, {"Viewer": "_viewer", "open_viewer": "_viewer"})
