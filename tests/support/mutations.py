"""Files that are broken at random, the way files break and the way attackers break them."""

from __future__ import annotations

import random
import re

VALUES = (
    b"nan", b"-inf", b"1e400", b"1e308", b"-1", b"0", b"", b"1e-320", b"0x10", b"1,5", b"true",
    b"%s%n%x", b"%n", b"../../etc/passwd", b"/etc/passwd", b"/dev/zero", b"none", b"\xc3\xa4",
    b"1 2", b"9" * 400, b"a" * 5000, b"${1/0}", b"$(env HOME)", b"&lt;", b"1 2 3 4 5 6 7",
)  # fmt: skip

PIECES = (
    b"<include file='arm.xml'/>", b"<include file='none.xml'/>", b"<body/>", b"<joint/>",
    b"<freejoint/>", b"<replicate count='1000000'><geom size='1'/></replicate>", b"<",
    b"<geom type='mesh' mesh='none'/>", b"<geom size='1e300'/>", b"</body>", b"\x00", b"<!--",
    b"]]>",
    b"<inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/>", b"<default class='x'/>",
    b"<joint type='ball'/>", b"<joint class='none'/>", b"<link name='a'/>", b"&bomb;",
)  # fmt: skip

BOMB = (
    b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(f'<!ENTITY a{k} "{"&a{};".format(k - 1 or "") * 10}">'.encode() for k in range(1, 9))
    + b"]>"
)


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Return a file with one to three things wrong."""
    for _ in range(rng.randint(1, 3)):
        data = _mutations[rng.randrange(len(_mutations))](data, rng)
    return data


def _value(data: bytes, rng: random.Random) -> bytes:
    """Replace the value of an attribute."""
    found = list(re.finditer(rb'"[^"]*"', data))
    if not found:
        return data
    place = rng.choice(found)
    return data[: place.start()] + b'"' + rng.choice(VALUES) + b'"' + data[place.end() :]


def _number(data: bytes, rng: random.Random) -> bytes:
    """Replace a number."""
    found = list(re.finditer(rb"-?\d+\.?\d*", data))
    if not found:
        return data
    place = rng.choice(found)
    return data[: place.start()] + rng.choice(VALUES[:10]) + data[place.end() :]


def _name(data: bytes, rng: random.Random) -> bytes:
    """Misspell a name of an element or attribute."""
    found = list(re.finditer(rb"[a-z_]{3,}(?=[ =/>])", data))
    if not found:
        return data
    place = rng.choice(found)
    letters = list(place[0])
    letters[rng.randrange(len(letters))] = rng.choice(b"xyz%A")
    return data[: place.start()] + bytes(letters) + data[place.end() :]


def _cut(data: bytes, rng: random.Random) -> bytes:
    begin = rng.randrange(len(data) + 1)
    return data[:begin] + data[begin + rng.choice([1, 5, 50, len(data)]) :]


def _insert(data: bytes, rng: random.Random) -> bytes:
    places = [match.end() for match in re.finditer(rb">", data)] or [0]
    at = rng.choice(places)
    return data[:at] + rng.choice(PIECES) + data[at:]


def _twice(data: bytes, rng: random.Random) -> bytes:
    """Repeat an element."""
    found = list(re.finditer(rb"<[^<>]*/>", data))
    if not found:
        return data
    place = rng.choice(found)
    return data[: place.end()] + place[0] * rng.choice([1, 1, 200]) + data[place.end() :]


def _byte(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(max(len(data), 1))
    return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]


def _entities(data: bytes, rng: random.Random) -> bytes:
    return BOMB + data.replace(b"<worldbody>", b"<worldbody>&a8;")


_mutations = (
    _value, _value, _number, _number, _name, _cut, _insert, _insert, _twice, _byte, _entities,
)  # fmt: skip
