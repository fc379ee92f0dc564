"""The server of a viewer: on this machine alone unless another address is asked for."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import sys
import webbrowser
from typing import Any

from armdyn.checks import checked_text, checked_whole
from armdyn.errors import InputError
from armdyn.files import imported

# The address that only programs of this machine reach.
LOCAL = "127.0.0.1"

# Ports that are tried if none is asked for.
USUAL = range(8080, 8100)
# The highest port number of TCP.
MOST_PORTS = 65535


def checked_extra() -> Any:
    """Return viser.

    Raises:
        MissingExtraError: it is not installed.
    """
    return imported("viser", "the viewer", "view")


def checked_address(host: object, port: object) -> tuple[str, int]:
    """Return an address that is free; without a port, one of the usual ones or any other.

    Raises:
        InputError: the port is in use, or the host is none of this machine.
    """
    name = checked_text(host, "host", what="an address of this machine")
    if port is not None:
        number = checked_whole(port, "port", 0, MOST_PORTS)
        _bind(name, number)
        return name, number
    for number in USUAL:
        if _is_free(name, number):
            return name, number
    return name, 0


def opened(host: str, port: int) -> Any:
    """Return a server of viser that says nothing and shares nothing."""
    viser = checked_extra()
    with contextlib.redirect_stdout(io.StringIO()):
        server = viser.ViserServer(host=host, port=port, verbose=False)
    # A page may ask the server to be reachable from everywhere, through a server of others.
    server.request_share_url = _shares_nothing
    server.gui.configure_theme(
        show_share_button=False, show_logo=False, brand_color=(37, 99, 168), control_width="large"
    )
    server.gui.main_panel.dock_right()  # beside the picture, not over it
    server.gui.set_panel_label("armdyn")
    return server


def closed(server: Any) -> None:
    """Stop a server; no word of it."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def url_of(host: str, port: int) -> str:
    """Return what a browser on this machine calls the server."""
    name = {"0.0.0.0": LOCAL, "::": "::1"}.get(host, host)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def shown_in_browser(url: str) -> bool:
    """Open a browser, if there is one with a display; return whether it did."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in displays):
        return False  # without a display, browsers of text would take the terminal
    try:
        return webbrowser.open(url)
    except (webbrowser.Error, OSError):
        return False


def _shares_nothing(*_: object, **__: object) -> None:
    """Answer the request of a page to share the viewer: no."""


def _is_free(host: str, port: int) -> bool:
    try:
        _bind(host, port)
    except InputError as error:
        if error.argument == "host":
            raise
        return False
    return True


def _bind(host: str, port: int) -> None:
    """Refuse an address that cannot be listened on."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, ValueError):
        raise InputError(
            f"`host` is {host!r}, which is no address; leave it out for this machine alone, or "
            "give 0.0.0.0 for all who reach it.",
            argument="host",
        ) from None
    with socket.socket(family, kind, protocol) as tried:
        if os.name == "posix":  # as the server does: what has just been closed is free
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(address)
        except PermissionError:
            raise InputError(
                f"`port` is {port}, which needs more rights than you have; take one from 1024 on, "
                "or leave it out.",
                argument="port",
            ) from None
        except OSError as error:
            if port and _is_address(family, kind, host):
                raise InputError(
                    f"`port` is {port}, which another program uses (or another viewer); give "
                    "another one, or leave it out for one that is free.",
                    argument="port",
                ) from None
            raise InputError(
                f"`host` is {host!r}, on which this machine cannot listen "
                f"({error.strerror or error}); leave it out for this machine alone.",
                argument="host",
            ) from None


def _is_address(family: int, kind: int, host: str) -> bool:
    """Whether any port of a host can be listened on."""
    with socket.socket(family, kind) as tried:
        try:
            tried.bind((host, 0))
        except OSError:
            return False
    return True
