"""Names of temporary files beside a target, and removal of stale ones after a crash."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path

# A temporary file that has not changed for this long [s] is stale if its process is gone.
QUIET = 3600.0
# After this time [s] it is stale in any case: its process may run on another machine.
ABANDONED = 24 * 3600.0

# File systems allow names of 255 bytes.
LONGEST = 200


def temporary_beside(target: Path) -> Path:
    """Return a new hidden name in the folder of a target; it contains the ID of this process."""
    import secrets

    return target.with_name(f"{_begin(target)}{os.getpid()}-{secrets.token_hex(6)}.tmp")


def remove_stale(target: Path) -> None:
    """Remove temporary files of a target that a killed process left behind."""
    begin = _begin(target)
    pattern = re.compile(re.escape(begin) + r"(?:(\d{1,9})-)?[0-9a-f]{12}\.tmp")
    with suppress(OSError), os.scandir(target.parent) as items:
        for item in items:
            found = item.name.startswith(begin) and pattern.fullmatch(item.name)
            if found and item.is_file(follow_symlinks=False):
                age = time.time() - item.stat(follow_symlinks=False).st_mtime
                gone = found[1] is not None and not _runs(int(found[1]))
                if age > ABANDONED or (age > QUIET and gone):
                    with suppress(OSError):  # another process was faster, or permission is missing
                        os.unlink(item.path)


def _begin(target: Path) -> str:
    return f".{target.name[:LONGEST]}."


def _runs(process: int) -> bool:
    """Whether a process with this ID runs on this machine."""
    if os.name != "posix":  # elsewhere os.kill would end the process
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # it belongs to another user
        return True
    return True
