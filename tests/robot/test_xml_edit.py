"""Editing XML in place: what is set changes, and not a byte besides."""

from __future__ import annotations

import codecs

import pytest

from armdyn.robot.formats.records import Fault
from armdyn.robot.formats.xml import XmlElement, XmlSource
from support.says import Said, says

FILE = b"""<?xml version="1.0"?>
<!-- a < b > "c' -->
<robot name='a>b'>
\t<link   name = "l1" ><mass value="1"/> <!-- kg --></link>
\t<link name="l2"/>
\t<joint name="j"
\t       type="revolute">
\t\t<![CDATA[ <mass value="9"/> ]]>
\t\t<dynamics damping='0.5'></dynamics>
\t</joint>
</robot>
<!-- end -->
"""


def element(source: XmlSource, *tags: str) -> XmlElement:
    found = source.root
    for tag in tags:
        child = found.child(tag)
        assert child is not None
        found = child
    return found


def test_file_without_changes_is_the_same_object() -> None:
    assert XmlSource(FILE).edited() is FILE


def test_elements_know_where_they_stand() -> None:
    source = XmlSource(FILE)
    tags = [one.tag for one in source.root.walk()]
    assert tags == ["robot", "link", "mass", "link", "joint", "dynamics"]
    assert source.root.attributes == {"name": "a>b"}
    for one in source.root.walk():
        assert FILE[one.start : one.end].startswith(f"<{one.tag}".encode())
        assert FILE[one.start : one.end].endswith(b">")


def test_values_are_replaced_in_their_own_quotes() -> None:
    source = XmlSource(FILE)
    source.set(element(source, "link", "mass"), "value", "2.5")
    source.set(element(source, "joint", "dynamics"), "damping", "'7'")
    expected = FILE.replace(b'"1"/>', b'"2.5"/>').replace(b"'0.5'", b"'&apos;7&apos;'")
    assert source.edited() == expected


def test_new_attribute_follows_the_last_one_as_that_follows_its_own() -> None:
    source = XmlSource(FILE)
    source.set(element(source, "joint"), "extra", "<1")
    source.set(element(source, "link", "mass"), "unit", "kg")
    expected = FILE.replace(b'"revolute"', b'"revolute"\n\t       extra="&lt;1"')
    assert source.edited() == expected.replace(b'"1"/>', b'"1" unit="kg"/>')


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_new_elements_are_indented_as_the_file_is(newline: bytes) -> None:
    source = XmlSource(FILE.replace(b"\n", newline))
    source.add(source.root.children[1], "inertial", {}, [("mass", {"value": "1"})])
    source.add(element(source, "joint"), "armdyn", {"rotor_inertia": "2"})
    inertial = (
        b'<link name="l2">\n\t\t<inertial>\n\t\t\t<mass value="1"/>\n\t\t</inertial>\n\t</link>'
    )
    expected = FILE.replace(b'<link name="l2"/>', inertial).replace(
        b"</dynamics>", b'</dynamics>\n\t\t<armdyn rotor_inertia="2"/>'
    )
    assert source.edited() == expected.replace(b"\n", newline)


def test_file_on_one_line_stays_on_one_line() -> None:
    source = XmlSource(b'<a><b/><c x="1"/></a>')
    source.add(element(source, "b"), "d", {"y": "2"})
    source.add(element(source), "e", {})
    assert source.edited() == b'<a><b><d y="2"/></b><c x="1"/><e/></a>'


@pytest.mark.parametrize(
    ("head", "encoding", "mark"),
    [
        ("", "utf-8", b""),
        ("", "utf-8", codecs.BOM_UTF8),
        ("", "utf-16-le", codecs.BOM_UTF16_LE),
        ("", "utf-16-be", codecs.BOM_UTF16_BE),
        ("", "utf-16-le", b""),
        ("", "utf-16-be", b""),
        ('<?xml version="1.0" encoding="ISO-8859-1"?>', "latin-1", b""),
        ("\n  ", "utf-8", b""),
    ],
)
def test_encoding_and_its_mark_stay(head: str, encoding: str, mark: bytes) -> None:
    text = f'{head}<r n="é"><a v="1"/><!-- ü --></r>'
    source = XmlSource(mark + text.encode(encoding))
    source.set(element(source, "a"), "v", "2")
    assert source.edited() == mark + text.replace('v="1"', 'v="2"').encode(encoding)


def test_comments_that_no_parser_accepts_stay() -> None:
    data = b'\n<?xml version="1.0"?><r><!-- ---- <a> ---- --><a v="1"/></r>'
    source = XmlSource(data)
    source.set(element(source, "a"), "v", "2")
    assert source.edited() == data.replace(b'"1"/>', b'"2"/>')


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"<a><b></a>", "not well-formed"),
        (b"", "not well-formed"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a/>', "document type"),
        (b'<?xml version="1.0" encoding="klingon"?><a/>', "decoded"),
        (b"<a>\xff</a>", "decoded"),
    ],
)
def test_other_files_are_refused(data: bytes, words: Said) -> None:
    with pytest.raises(Fault) as caught:
        XmlSource(data)
    assert says(caught.value, words)
