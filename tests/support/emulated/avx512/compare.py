"""Compare what the emulated processor wrote with the recorded digests.

python compare.py SERIAL_OUTPUT
"""

from __future__ import annotations

import re
import sys
from hashlib import sha256
from pathlib import Path

from support.equal_bits import recorded


def main(path: Path) -> int:
    text = path.read_text(encoding="ascii", errors="replace").replace("\r", "")
    if not re.search(r"^end$", text, re.M):
        print("the emulated machine did not compute all cases.")
        return 1
    _, *parts = re.split(r"^case ", text, flags=re.M)
    found = {name: rest for name, _, rest in (part.partition("\n") for part in parts)}
    expected = recorded()
    bad = set(expected) - set(found)
    for name, rest in found.items():
        numbers = "".join(re.findall(r"^[0-9a-f]+$", rest, re.M))
        digest = sha256(bytes.fromhex(numbers)).hexdigest()[:20]
        if digest != expected[name]["fused"] or "streamed different" in rest:
            bad.add(name)
    streamed = len(re.findall(r"^streamed equal$", text, re.M))
    print(f"{len(expected) - len(bad)} of {len(expected)} cases have the recorded bits on AVX-512,")
    print(f"{streamed} of them streamed, too.", *(f"Different: {name}" for name in sorted(bad)))
    return 1 if bad or not streamed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
