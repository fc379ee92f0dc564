"""The parameters of code generation: a target and the element type."""

from __future__ import annotations

from dataclasses import dataclass
from string import Template

from armdyn.kernel.element import ElementType
from armdyn.kernel.targets.target import Target


@dataclass(frozen=True)
class Codegen:
    """A target and an element type.

    Attributes:
        target: the machine.
        element: the type of the numbers.
    """

    target: Target
    element: ElementType

    @property
    def width(self) -> int:
        """Numbers in a vector register: the states of a block."""
        return self.target.vector_bytes // self.element.bytes

    @property
    def line_width(self) -> int:
        """Numbers in a cache line."""
        return self.target.line_bytes // self.element.bytes

    def bytes_of(self, count: int) -> int:
        """Return the bytes of some numbers."""
        return self.element.bytes * count

    def array(self, count: int) -> str:
        """Return the instruction that reserves an array on the stack, aligned to a cache line."""
        return f"alloca [{count} x {self.element.name}], align {self.target.line_bytes}"

    def filled(self, template: str, **words: object) -> str:
        """Return a template of IR with its placeholders, which begin with a dollar, filled in.

        Args:
            template: may use `$element`, its size `$bytes`, the integer `$integer` of that size and
                its largest value `$magnitude`; the numbers in a cache line, `$lanes`; the bytes of
                a cache line and of a page, `$line` and `$page`; and `$log2_...` of the sizes.
            words: values of further placeholders.
        """
        element, target = self.element, self.target
        sizes = {
            "bytes": element.bytes,
            "lanes": self.line_width,
            "line": target.line_bytes,
            "page": target.page_bytes,
        }
        return Template(template).substitute(
            sizes,
            element=element.name,
            integer=element.integer,
            magnitude=2 ** (element.bits - 1) - 1,
            **{f"log2_{name}": size.bit_length() - 1 for name, size in sizes.items()},
            **words,
        )


# LLVM intrinsics that kernels call.

# Their numbers of arguments.
INTRINSICS = {"llvm.fma": 3, "llvm.fabs": 1, "llvm.sqrt": 1, "llvm.copysign": 2}


def declarations(codegen: Codegen) -> str:
    """Return the declarations of the intrinsics, for every width up to the full one."""
    lines: list[str] = []
    element = codegen.element
    w = 1
    while w <= codegen.width:
        kind, suffix = element.vector(w), element.suffix(w)
        for name, arity in INTRINSICS.items():
            lines.append(f"declare {kind} @{name}.{suffix}({', '.join([kind] * arity)})")
        if w > 1:
            lines.append(f"declare i1 @llvm.vector.reduce.or.v{w}i1(<{w} x i1>)")
        w *= 2
    return "\n".join(lines) + "\n"
