"""The tree of links and joints, and the path through it that forms the arm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from armdyn.robot.formats.records import FREE_TYPES, Description, Fault, TreeJoint, listed

# Find where the paths from the root to two links part, in O(log depth) steps.


class Ancestors:
    """Jump pointers: every link knows its parent and one ancestor far above.

    Links of one depth jump equally far, so two of them climb in step.
    """

    def __init__(self, order: Sequence[str], parents: Mapping[str, str]) -> None:
        """Climb once.

        Args:
            order: links, each after its parent.
            parents: of all links but the first.
        """
        root = order[0]
        self._parent, self._jump, self._depth = {root: root}, {root: root}, {root: 0}
        for link in order[1:]:
            above = parents[link]
            far = self._jump[above]
            farther = self._jump[far]
            level = self._depth
            equal = level[above] - level[far] == level[far] - level[farther]
            self._parent[link], self._jump[link] = above, farther if equal else above
            self._depth[link] = level[above] + 1

    def branch(self, link: str, other: str) -> str | None:
        """Return the first link on the path to `link` that is not on the path to `other`.

        None if one of the two lies on the path to the other.
        """
        depth = min(self._depth[link], self._depth[other])
        a, b = self._at(link, depth), self._at(other, depth)
        if a == b:
            return None
        while self._parent[a] != self._parent[b]:
            step = self._jump if self._jump[a] != self._jump[b] else self._parent
            a, b = step[a], step[b]
        return a

    def _at(self, link: str, depth: int) -> str:
        """Return the link itself or its ancestor at a depth."""
        while self._depth[link] > depth:
            jump = self._jump[link]
            link = jump if self._depth[jump] >= depth else self._parent[link]
        return link


@dataclass(frozen=True)
class Tree:
    """Links and the joints that leave them; `order` has every link after its parent.

    `gone` are the links that were left out.
    """

    root: str
    leaving: dict[str, list[TreeJoint]]
    arriving: dict[str, TreeJoint]
    order: list[str]
    gone: frozenset[str] = frozenset()

    def above(self, link: str) -> list[TreeJoint]:
        """Return the joints from the root to a link."""
        joints: list[TreeJoint] = []
        while link in self.arriving:
            joints.append(self.arriving[link])
            link = joints[-1].parent
        return joints[::-1]


@dataclass(frozen=True)
class Path:
    """The joints from `base` to the tips, each after those before it, and notes on the choice."""

    base: str
    tips: tuple[str, ...]
    joints: list[TreeJoint]
    notes: list[str]


def tree_of(description: Description) -> Tree:
    """Return the tree, or say why the links do not form one."""
    leaving: dict[str, list[TreeJoint]] = {name: [] for name in description.links}
    arriving: dict[str, TreeJoint] = {}
    for joint in description.joints.values():
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in leaving:
                raise Fault(
                    f"joint {joint.name!r} names the {role} link {link!r}, which does not exist."
                )
        if joint.child in arriving:
            raise Fault(
                f"link {joint.child!r} has two parents, by the joints "
                f"{arriving[joint.child].name!r} and {joint.name!r}; closed loops and shared links "
                "cannot be a serial arm: cut one of the joints."
            )
        arriving[joint.child] = joint
        leaving[joint.parent].append(joint)
    roots = [name for name in leaving if name not in arriving]
    if len(roots) > 1:
        raise Fault(
            f"{len(roots)} links have no parent: {listed(roots)}; expected one root. Join them "
            "with fixed joints or remove those that are not used."
        )
    order = list(roots)
    for link in order:  # the loop extends the list
        order.extend(joint.child for joint in leaving[link])
    if len(order) < len(leaving):
        reached = set(order)
        loop = next(name for name in leaving if name not in reached)
        raise Fault(f"the joints around link {loop!r} form a cycle; expected a tree from one root.")
    return Tree(order[0], leaving, arriving, order, description.gone)


def left_out(leaving: Mapping[str, Iterable[str]], without: Iterable[str]) -> set[str]:
    """Return the links that `without` names, and all links that these carry.

    A reader calls it before it reads links and joints, so that nothing in them is checked.

    Args:
        leaving: for each link, the links that hang on it.
        without: links to leave out.
    """
    gone: set[str] = set()
    for name in without:
        if name not in leaving:
            raise Fault(f"there is no link {name!r} to leave out{_did_you_mean(name, leaving)}")
        found = [name]
        while found:
            link = found.pop()
            if link not in gone:
                gone.add(link)
                found.extend(leaving.get(link, ()))
    if len(gone) == len(leaving):
        raise Fault("`without` leaves out every link of the file; name the links of a branch.")
    return gone


def choose_path(
    tree: Tree,
    base: str | None,
    tip: str | None,
    tips: tuple[str, ...] | Literal["all"] | None = None,
    followers: bool = False,
) -> Path:
    """Return the joints from `base` (default: the root) to the tips.

    Args:
        tree: the tree.
        base: where they begin.
        tip: where they end; default: as far as unique.
        tips: the ends of a tree, or "all" of them.
        followers: whether joints that follow others move.
    """
    named = tips if isinstance(tips, tuple) else ()
    for role, name in (("base", base), ("tip", tip), *(("tip", one) for one in named)):
        if name is not None and name not in tree.leaving:
            if name in tree.gone:
                raise Fault(f"link {name!r} cannot be the {role}: `without` leaves it out.")
            raise Fault(
                f"there is no link {name!r} to be the {role}{_did_you_mean(name, tree.order)}"
            )
    start = tree.root if base is None else base
    if tips is not None:
        path = _union(tree, start, tips, followers)
    else:
        path = _walk_down(tree, start) if tip is None else _climb(tree, start, tip)
    ends = f"tip {path.tips[0]!r}" if len(path.tips) == 1 else f"tips {listed([*path.tips])}"
    for joint in path.joints:
        if joint.is_free and joint.type not in FREE_TYPES:
            raise Fault(
                f"joint {joint.name!r} between base {path.base!r} and {ends} is of type "
                f"{joint.type!r}, expected {', '.join(FREE_TYPES)} or fixed; pass `base` (for "
                f"example {joint.child!r}) or `tip` so that the arm does not contain it."
            )
    if not any(joint.is_free for joint in path.joints):
        raise Fault(
            f"no joint moves between base {path.base!r} and {ends}; an arm needs at "
            f"least one. Possible tips: {listed(_possible_tips(tree, start)) or 'none'}."
        )
    return path


def _union(tree: Tree, base: str, tips: tuple[str, ...] | Literal["all"], followers: bool) -> Path:
    """Return the joints of the paths to all tips, in the order in which branches are written."""
    if tips == "all":
        tips = tuple(_possible_tips(tree, base, followers))
        if not tips:
            raise Fault(f"nothing moves behind link {base!r}: there is no tip.")
    paths = {tip: _climb(tree, base, tip).joints for tip in tips}
    for tip, joints in paths.items():
        passed = {joint.child for joint in joints[:-1]} | {base}
        if inner := [other for other in paths if other in passed]:
            raise Fault(
                f"the tips {inner[0]!r} and {tip!r} lie on one path: leave out {inner[0]!r}. Its "
                "frame can be named all the same."
            )
    wanted = {joint.name for joints in paths.values() for joint in joints}
    found: list[TreeJoint] = []
    waiting = [base]
    while waiting:
        leaving = [joint for joint in tree.leaving[waiting.pop()] if joint.name in wanted]
        # a branch is followed to its end before the next one begins
        waiting += [joint.child for joint in reversed(leaving)]
        found += leaving
    place = {joint.name: k for k, joint in enumerate(found)}
    order = sorted(found, key=lambda joint: _way(tree, joint, place))
    ends = [base, *(joint.child for joint in order)]
    return Path(base, tuple(sorted(paths, key=ends.index)), order, [])


def _way(tree: Tree, joint: TreeJoint, place: Mapping[str, int]) -> list[int]:
    """Return the places of the joints on the way to a joint: sorted, branches stay together."""
    return [place[one.name] for one in tree.above(joint.child) if one.name in place]


def _climb(tree: Tree, base: str, tip: str) -> Path:
    joints: list[TreeJoint] = []
    link = tip
    while link != base:
        if link not in tree.arriving:
            raise Fault(
                f"link {tip!r} is not below link {base!r}, so that no chain leads from base to tip."
            )
        joints.append(tree.arriving[link])
        link = joints[-1].parent
    return Path(base, (tip,), joints[::-1], [])


def _walk_down(tree: Tree, base: str) -> Path:
    """Follow the only moving branch, else the only fixed one; stop where there are several."""
    free_below = _free_below(tree)
    forks = _follower_forks(tree)
    link, joints, notes = base, list[TreeJoint](), list[str]()
    while leaving := tree.leaving[link]:
        moving = [j for j in leaving if free_below[j.child] or j.is_free or j.name in forks]
        # what floats beside an arm is another thing
        moving = [j for j in moving if j.type != "floating"] or moving
        if len(moving) > 1:
            branches = listed([j.name for j in moving])
            if sum(j.is_free for j in joints) < 2:
                raise Fault(
                    f"several moving branches leave link {link!r} (joints {branches}), so that the "
                    "tip must be chosen: pass `tip` (and `base` if needed), or several as `tips`. "
                    f"Possible tips: {listed(_possible_tips(tree, base))}."
                )
            notes.append(
                f"The tip is link {link!r}: several moving branches leave it ({branches})."
            )
            break
        if not moving and len(leaving) > 1:
            ends = listed([j.child for j in leaving])
            notes.append(
                f"The tip is link {link!r}; links fixed to it could be chosen too: {ends}."
            )
            break
        joints.append(moving[0] if moving else leaving[0])
        link = joints[-1].child
    return Path(base, (link,), joints, notes)


def _free_below(tree: Tree) -> dict[str, bool]:
    """Return, for each link, whether a joint below it moves independently."""
    below = dict.fromkeys(tree.order, False)
    for link in reversed(tree.order):
        below[link] = any(j.is_free or below[j.child] for j in tree.leaving[link])
    return below


def _follower_forks(tree: Tree) -> set[str]:
    """Return the first joints of branches in which a joint follows one of a sibling branch.

    Such branches move like the fingers of a gripper: the arm continues along neither.
    """
    by_name = {joint.name: joint for joint in tree.arriving.values()}
    ancestors = Ancestors(tree.order, {link: j.parent for link, j in tree.arriving.items()})
    forks: set[str] = set()
    for joint in by_name.values():
        if joint.coupling is None or not joint.moves:
            continue
        leader = by_name.get(joint.coupling.leader)
        if leader is None or not leader.is_free:
            continue
        branch = ancestors.branch(joint.child, leader.child)
        if branch is not None:
            forks.add(tree.arriving[branch].name)
    return forks


def _possible_tips(tree: Tree, base: str, followers: bool = False) -> list[str]:
    """Return the ends of the tree below `base` that a moving joint carries."""
    carried: dict[str, bool] = {base: False}
    for link in tree.order:
        if link in carried:
            for joint in tree.leaving[link]:
                moves = joint.is_free or (followers and joint.is_follower)
                carried[joint.child] = carried[link] or moves
    return [link for link, moved in carried.items() if moved and not tree.leaving[link]]


def _did_you_mean(name: str, links: Iterable[str]) -> str:
    import difflib

    known = list(links)
    near = difflib.get_close_matches(name, known, n=3)
    if near:
        return f"; did you mean {listed(near)}?"
    return f"; links are: {listed(known)}."
