"""The part of a model that decides its dynamics; the rest is blanked, so that lines stay the same.

Geoms are blanked where a body has an <inertial>, or does not move: what they weigh does not matter
then, and the meshes they name need not be there.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from armdyn.errors import shown
from armdyn.files import number_in
from armdyn.robot.formats.mjcf.source import MOST_FILES, Document, Reach, document_of, read_text
from armdyn.robot.formats.records import Fault
from armdyn.robot.formats.tree import left_out
from armdyn.robot.formats.xml import XmlElement

# Sections that say nothing of an arm's dynamics. Equalities and tendons are read from the whole.
SECTIONS = (
    "visual", "statistic", "size", "keyframe", "contact", "deformable", "sensor", "extension",
    "equality", "tendon",
)  # fmt: skip

# Elements below <worldbody> and <default> that say nothing of them either.
ELEMENTS = (
    "light", "camera", "plugin", "flexcomp", "composite", "material", "texture", "pair", "skin",
    "equality", "tendon",
)  # fmt: skip

# Actuators whose torque does not depend on their length, by a rule that takes a simulation to find.
ACTUATORS = (
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "pid",
    "dcmotor",
)  # fmt: skip

# A replica of each element below <replicate>, at most.
MOST_REPLICAS = 20_000


@dataclass
class Model:
    """What MuJoCo is given of a model.

    Attributes:
        document: the model.
        whole: its text.
        needed: the part that decides its dynamics.
        models: texts (whole, needed) of the models that it attaches, by the names of their files.
        meshes: paths of the meshes that are there, by the names that the model gives them.
        without: names of bodies to leave out.
        gone: names of the bodies that were left out, with all that they carry.
    """

    document: Document
    whole: str = ""
    needed: str = ""
    models: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    meshes: dict[str, str] = field(default_factory=dict[str, str])
    without: Collection[str] = ()
    gone: set[str] = field(default_factory=set[str])


def model_of(path: Path, data: bytes, reach: Reach, without: Collection[str] = ()) -> Model:
    """Return what MuJoCo is given of a file.

    Args:
        path: of the file.
        data: its bytes.
        reach: where the files are that it may name.
        without: bodies to leave out of what is compiled.

    Raises:
        Fault: the file, or one that it names, is not XML or not permitted.
    """
    model = Model(document_of(path, data, reach), without=without)
    model.whole, model.needed = _texts(model, model.document, reach, (path,))
    elements = list(model.document.root.walk()) if without else []
    if elements and not model.models and all(one.tag != "replicate" for one in elements):
        # the file has all names of bodies: refuse others before MuJoCo refuses anything else
        bodies = [one.attributes.get("name", "") for one in elements if one.tag == "body"]
        left_out(dict.fromkeys(("world", *bodies), ()), without)
    return model


def _texts(
    model: Model, document: Document, reach: Reach, parents: tuple[Path, ...]
) -> tuple[str, str]:
    """Return the two texts of a document; collect the models and meshes that it names."""
    root = document.root
    if root.tag != "mujoco":
        raise Fault(f"the outermost element is <{root.tag[:60]}>, expected <mujoco>: not MJCF.")
    whole = bytearray(document.data)
    part = _Part(document, len(parents) > 1, model.without)
    needed = part.data
    replaced: list[tuple[int, int, bytes]] = []
    for element in root.walk():
        if element.tag == "size" and element.parent is root:
            _blank(whole, element.start, element.end)  # sizes of arrays: they can take all memory
        if element.tag == "replicate":
            _check_replicas(element)
        if element.tag == "model" and element.parent is not None and element.parent.tag == "asset":
            name = _attached(model, element, document, reach, parents)
            value = next(match for match in element.written() if match[2] == b"file")
            replaced.append((value.start(3) + 1, value.end(3) - 1, name.encode()))
    for begin, end, name in reversed(replaced):
        whole[begin:end] = needed[begin:end] = name
    model.meshes |= part.meshes(reach)
    model.gone |= part.gone
    return whole.decode(), needed.decode()


def _attached(
    model: Model, element: XmlElement, document: Document, reach: Reach, parents: tuple[Path, ...]
) -> str:
    """Read a model that another attaches; return the name it is given to MuJoCo by."""
    file = element.attributes.get("file", "")
    where = f"<model> in line {document.origin(element.line)[1]} names {shown(file)}"
    path = reach.file((document.folder,), file) if file else None
    if path is None:
        raise Fault(f"{where}, but there is no such file.")
    if path in [parent.resolve() for parent in parents]:
        raise Fault(f"{where}, so that the model attaches itself.")
    if len(model.models) > MOST_FILES:
        raise Fault(f"{where}, one of more than {MOST_FILES} files: no model of an arm.")
    name = f"attached{len(model.models) + 1}.xml"
    model.models[name] = ("", "")
    try:
        inner = document_of(path, read_text(path), reach)
        model.models[name] = _texts(model, inner, reach, (*parents, path))
    except Fault as fault:
        raise Fault(f"{where}: {fault}") from None
    return name


class _Part:
    """The part of a document that decides dynamics, and the meshes that it needs."""

    def __init__(self, document: Document, attached: bool, without: Collection[str]) -> None:
        """Blank the rest.

        Args:
            document: all of it.
            attached: whether the model is attached to another, so that all of it may move.
            without: names of bodies that are not needed.
        """
        self._document = document
        self._without = without
        self._lost_joints: set[str] = set()
        self.gone: set[str] = set()
        self._settings: dict[str, str] = {}
        for element in document.root.children:
            if element.tag == "compiler":
                self._settings |= element.attributes
        self._all_geoms = (
            self._settings.get("inertiafromgeom") == "true" or "settotalmass" in self._settings
        )
        self._used: set[str] = set()
        self.data = bytearray(document.data)
        # actuators and assets come last: what they act on and who needs them is known then
        late = ("actuator", "asset")
        for section in sorted(document.root.children, key=lambda one: one.tag in late):
            if section.tag in SECTIONS or (section.tag == "asset" and self._needs_none(section)):
                _blank(self.data, section.start, section.end)
            else:
                self._reduce(section, attached)

    def meshes(self, reach: Reach) -> dict[str, str]:
        """Return the files of meshes that kept geoms may need, where they are there."""
        folder = self._settings.get("meshdir", self._settings.get("assetdir", ""))
        found: dict[str, str] = {}
        for asset in self._document.root.children if self._used else ():
            for element in asset.children if asset.tag == "asset" else ():
                file = element.attributes.get("file")
                if element.tag != "mesh" or not file or _name_of_mesh(element) not in self._used:
                    continue
                name = _basename(file) if self._settings.get("strippath") == "true" else file
                path = reach.file((self._document.folder / folder,), name)
                if path is not None:
                    found[name] = str(path)
        return found

    def _needs_none(self, assets: XmlElement) -> bool:
        """Whether nothing of the assets is needed."""
        return not self._used and all(element.tag != "model" for element in assets.children)

    def _reduce(self, section: XmlElement, attached: bool) -> None:
        """Blank what is not needed in a section."""
        # elements, whether they may move, and whether their geoms have a say in masses
        stack = [(child, attached, False) for child in reversed(section.children)]
        while stack:
            element, moves, weighs = stack.pop()
            if element.tag == "body" and element.attributes.get("name") in self._without:
                self._leave_out(element)
            elif not self._is_needed(element, section.tag, weighs):
                _blank(self.data, element.start, element.end)
            else:
                if element.tag == "body" and section.tag == "worldbody":
                    moves = moves or _has_joint(element)
                    weighs = self._all_geoms or (moves and not _has_inertial(element))
                self._strip(element)
                stack.extend((child, moves, weighs) for child in reversed(element.children))

    def _leave_out(self, body: XmlElement) -> None:
        """Blank a body with all that it carries."""
        for element in body.walk():
            name = element.attributes.get("name")
            if name and element.tag == "body":
                self.gone.add(name)
            elif name and element.tag == "joint":
                self._lost_joints.add(name)
        _blank(self.data, body.start, body.end)

    def _is_needed(self, element: XmlElement, section: str, weighs: bool) -> bool:
        match section:
            case "asset":
                used = element.tag == "mesh" and _name_of_mesh(element) in self._used
                return element.tag == "model" or used
            case "actuator":
                kinds = (element.attributes.get("dyntype"), element.attributes.get("gaintype"))
                joint = element.attributes.get("joint", element.attributes.get("jointinparent"))
                acts = joint is not None and joint not in self._lost_joints
                return element.tag in ACTUATORS and acts and "muscle" not in kinds
            case "custom":
                return element.tag == "numeric"
            case "worldbody" if element.tag == "geom":
                return weighs
            case "worldbody" | "default":
                return element.tag not in ELEMENTS
            case _:
                return True

    def _strip(self, element: XmlElement) -> None:
        """Blank attributes that name what is not there; note the meshes of geoms."""
        if element.tag not in ("geom", "site", "mesh"):
            return
        unneeded = {"material"}
        if element.tag == "geom":
            mesh = element.attributes.get("mesh")
            if mesh:
                self._used.add(mesh)
        if element.tag == "site":
            unneeded.add("mesh")
            if element.attributes.get("type") == "mesh":
                unneeded.add("type")
        if not unneeded.isdisjoint(element.attributes):
            for match in element.written():
                if match[2].decode() in unneeded:
                    _blank(self.data, *match.span())


def _name_of_mesh(mesh: XmlElement) -> str:
    """Return the name of a mesh: that of its file if it has none of its own."""
    file = _basename(mesh.attributes.get("file", ""))
    return mesh.attributes.get("name", file.rpartition(".")[0])


def _basename(file: str) -> str:
    return file.replace("\\", "/").rpartition("/")[2]


def _has_inertial(body: XmlElement) -> bool:
    return any(child.tag == "inertial" for child in body.children)


def _has_joint(body: XmlElement) -> bool:
    """Whether a body has joints of its own, inside of frames too."""
    stack = body.children[:]
    while stack:
        element = stack.pop()
        if element.tag in ("joint", "freejoint"):
            return True
        if element.tag in ("frame", "replicate"):
            stack.extend(element.children)
    return False


def _check_replicas(element: XmlElement) -> None:
    most = 1.0
    for outer in element.up():
        if outer.tag == "replicate":
            count = number_in(outer.attributes.get("count", "1").strip() or "1")
            most *= count or 1.0
    if most * sum(1 for _ in element.walk()) > MOST_REPLICAS:
        raise Fault(
            f"<replicate> in line {element.line} makes more than {MOST_REPLICAS} elements: no "
            "model of an arm."
        )


def _blank(data: bytearray, begin: int, end: int) -> None:
    """Replace a part of a text by spaces; its lines stay."""
    lines = data[begin:end].split(b"\n")
    data[begin:end] = b"\n".join(b" " * len(line) for line in lines)
