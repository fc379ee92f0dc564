"""The viewer: an arm in a browser, live, moved by Python and by hand."""

from armdyn.view.viewer import Viewer, open_viewer

__all__ = ["Viewer", "open_viewer"]
