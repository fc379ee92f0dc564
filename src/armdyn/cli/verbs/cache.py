"""`armdyn cache`: the compiled functions on disk."""

from __future__ import annotations

from typing import Any

from armdyn.cli.console import JsonOption, print_json, printed_warnings, show
from armdyn.cli.option_names import flag
from armdyn.errors import ArmdynError, CacheWarning
from armdyn.kernel.cache import Cache, default_cache
from armdyn.present.tables import Grid

UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def cache(
    clear: bool = flag("--clear", "Remove all compiled functions from the cache."),
    as_json: JsonOption = False,
) -> None:
    """Show or clear the cache of compiled functions."""
    chosen, warned = _chosen_cache()
    if clear and chosen is None:
        raise ArmdynError(
            "no cache is in use, so none can be cleared; set ARMDYN_CACHE to its folder, or unset "
            "it for the usual one."
        )
    removed = chosen.clear() if clear and chosen else None
    state = _state(chosen)
    if as_json:
        print_json({**state, "removed": removed, "warnings": warned})
    elif chosen is None:
        show("compiled functions are not kept on disk: no cache is in use.")
    elif removed is not None:
        show(f"{removed} entries removed from {chosen.folder}.")
    else:
        limit = f"{_readable(state['max_size'])}, {state['max_entries']} entries"
        row = (state["folder"], str(state["entries"]), _readable(state["size"]), limit)
        heads = ("folder", "entries", "size", "limit")
        show(Grid("Compiled functions on disk", heads, 1, (row,)))


def _chosen_cache() -> tuple[Cache | None, list[str]]:
    """Return the cache in use and its warnings, which are also printed."""
    with printed_warnings(CacheWarning) as said:
        chosen = default_cache()
        if chosen and (fault := chosen.fault()):
            said.append(fault)
    return chosen, said


def _state(chosen: Cache | None) -> dict[str, Any]:
    """Return the content and the limits of the cache, sizes in bytes; all None without a cache."""
    if chosen is None:
        return dict.fromkeys(("folder", "entries", "size", "max_size", "max_entries"))
    kept = [] if chosen.fault() else chosen.entries()
    return {
        "folder": str(chosen.folder),
        "entries": len(kept),
        "size": sum(entry.size for entry in kept),
        "max_size": chosen.max_bytes,
        "max_entries": chosen.max_entries,
    }


def _readable(size: float) -> str:
    """Return a number of bytes in a suitable unit."""
    unit = 0
    while size >= 1024 and unit < len(UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.4g} {UNITS[unit]}"
