"""Formulas of the site: blocks of LaTeX become MathML, which browsers show without scripts.

A formula is a fenced block ``math``, or ``$`x`$`` within a line, as GitHub shows them, too. The
part of LaTeX is what the pages use: another command is an error of the build.
"""

import re
from html import escape

NAMES = {
    **{
        name: chr(0x3B1 + k)
        for k, name in enumerate(
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi "
            "rho varsigma sigma tau upsilon phi chi psi omega".split()
        )
    },
    **{name.capitalize(): chr(ord(c) - 32) for name, c in (
        ("gamma", "γ"), ("delta", "δ"), ("sigma", "σ"), ("phi", "φ"), ("psi", "ψ"), ("omega", "ω"),
    )},
    "partial": "∂", "ell": "ℓ",
}  # fmt: skip

SIGNS = {
    "times": "×", "cdot": "·", "sum": "∑", "prod": "∏", "le": "≤", "ge": "≥", "ne": "≠",
    "parallel": "∥", "perp": "⊥", "dots": "…",
}  # fmt: skip

# Spaces, in the size of letters.
SPACES = {"quad": 1.0, "qquad": 2.0, ",": 0.17}

ACCENTS = {"hat": "^", "tilde": "~", "bar": "¯", "dot": "˙", "ddot": "¨"}

LARGE = ("sum", "prod")

TABLES = {"aligned": ("", ""), "bmatrix": ("[", "]"), "cases": ("{", "")}

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[A-Za-z]|\d+(?:\.\d+)?|\s+|.", re.S)


def on_config(config):
    """Show fenced blocks of formulas."""
    settings = config["mdx_configs"].setdefault("pymdownx.superfences", {})
    block = {"name": "math", "class": "math", "format": _block}
    settings["custom_fences"] = [*settings.get("custom_fences", []), block]
    return config


def on_page_markdown(markdown, **_):
    """Show formulas within lines."""
    return re.sub(r"\$`([^`\n]+)`\$", lambda found: mathml(found[1]), markdown)


def _block(source, *_, **__):
    return f'<div class="formula">{mathml(source, display=True)}</div>'


def mathml(source, display=False):
    """Return LaTeX as MathML."""
    parser = Parser(source)
    inside = parser.row()
    if parser.tokens:
        raise ValueError(f"{parser.tokens[-1]!r} closes nothing in the formula {source!r}")
    shown = ' display="block"' if display else ""
    return f"<math{shown}>{inside}</math>"


class Parser:
    """Reads the tokens of a formula, the next one last."""

    def __init__(self, source):
        self.tokens = [t for t in TOKEN.findall(source) if not t.isspace()][::-1]

    def next(self):
        """Take a token."""
        if not self.tokens:
            raise ValueError("a formula ends too early")
        return self.tokens.pop()

    def row(self, *ends):
        """Read until one of some tokens, which stays."""
        parts = []
        while self.tokens and self.tokens[-1] not in (*ends, "}", r"\right", r"\end"):
            parts.append(self.scripted())
        return f"<mrow>{''.join(parts)}</mrow>"

    def scripted(self):
        """Read an atom with what is below and above it."""
        large = self.tokens[-1].removeprefix("\\") in LARGE
        base, below, above = self.atom(), "", ""
        while self.tokens and self.tokens[-1] in ("_", "^"):
            if self.tokens.pop() == "_":
                below = self.atom()
            else:
                above = self.atom()
        both = ("munderover", "munder", "mover") if large else ("msubsup", "msub", "msup")
        name = both[0] if below and above else both[1] if below else both[2]
        return f"<{name}>{base}{below}{above}</{name}>" if below or above else base

    def atom(self):
        """Read a letter, a number, a sign, or a command with what it takes."""
        token = self.next()
        if token == "{":
            inside = self.row()
            self.expect("}")
            return inside
        if not token.startswith("\\"):
            return _letter(token)
        name = token[1:]
        if name in NAMES:
            return f"<mi>{NAMES[name]}</mi>"
        if name in SIGNS:
            return f"<mo>{SIGNS[name]}</mo>"
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}em"/>'
        if name in ACCENTS:
            return f'<mover accent="true">{self.atom()}<mo>{ACCENTS[name]}</mo></mover>'
        if name in ("mathbf", "boldsymbol"):
            upright = self.atom().replace("<mi>", '<mi mathvariant="normal">')
            return f'<mrow class="bold">{upright}</mrow>'
        if name in ("text", "operatorname", "mathrm"):
            return f"<mtext>{escape(self.words())}</mtext>"
        if name == "frac":
            return f"<mfrac>{self.atom()}{self.atom()}</mfrac>"
        if name == "left":
            return self.fenced()
        if name == "begin":
            return self.table()
        raise ValueError(f"the formulas of the site have no command \\{name}")

    def expect(self, token):
        """Take this token."""
        found = self.next()
        if found != token:
            raise ValueError(f"expected {token!r} in a formula, found {found!r}")

    def words(self):
        """Read words in braces."""
        self.expect("{")
        said = []
        while (token := self.next()) != "}":
            said.append(token)
        return "".join(said).replace("~", "\u00a0")

    def fenced(self):
        """Read what is between brackets that grow with it."""
        left = self.fence()
        inside = self.row()
        self.expect(r"\right")
        return f"<mrow>{left}{inside}{self.fence()}</mrow>"

    def fence(self):
        """Read a bracket."""
        sign = self.next().removeprefix("\\")
        return "" if sign == "." else f'<mo stretchy="true">{sign}</mo>'

    def table(self):
        """Read rows of cells up to the end of their environment."""
        kind = self.words()
        left, right = TABLES[kind]
        rows, cells = [], []
        while True:
            cells.append(f"<mtd>{self.row('&', chr(92) * 2)}</mtd>")
            token = self.next()
            if token == "&":
                continue
            rows.append(f"<mtr>{''.join(cells)}</mtr>")
            cells = []
            if token == r"\end":
                break
        self.words()
        table = f'<mtable class="{kind}">{"".join(rows)}</mtable>'
        fences = [f'<mo stretchy="true">{sign}</mo>' if sign else "" for sign in (left, right)]
        return f"<mrow>{fences[0]}{table}{fences[1]}</mrow>"


def _letter(token):
    if token.isalpha():
        return f"<mi>{token}</mi>"
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    sign = escape({"-": "−", "*": "∗", "'": "′"}.get(token, token))
    return f'<mo stretchy="false">{sign}</mo>' if token in "()[]" else f"<mo>{sign}</mo>"
