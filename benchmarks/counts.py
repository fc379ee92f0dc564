"""Print the table of operation counts that the README shows, traced now."""

from __future__ import annotations

import armdyn

# quantity, paper, its method here, what the paper prints for six rotational joints
CLAIMS = [
    ("mass_matrix", "[LinFang1999] Formulation 1, minimal", "lin_fang_1_minimal", "407M 301A"),
    ("mass_matrix", "[LinFang1999] Formulation 2, minimal", "lin_fang_2_minimal", "410M 331A"),
    ("mass_matrix", "[Lin1991]", "lin_1991", "524M 380A"),
    ("mass_matrix", "[Mata2002]", "gibbs_appell", "482M 426A"),
    ("inverse_dynamics", "[Mata2002]", "gibbs_appell", "475M 404A"),
    ("forward_dynamics", "[Mata2002]", "gibbs_appell", "1042M 905A"),
    ("forward_dynamics", "[Saha1999]", "denoc", "871M 797A"),
]


def rows() -> list[str]:
    """The lines of the table."""
    lines = [
        "| six general rotational joints | printed | same method here | cheapest here |",
        "|---|---|---|---|",
    ]
    for quantity, paper, method, printed in CLAIMS:
        same = armdyn.operation_counts(quantity, method, 6)
        best = armdyn.operation_counts(quantity, "auto", 6)
        lines.append(f"| {quantity}, {paper} | {printed} | {same} | {best} |")
    return lines


if __name__ == "__main__":
    print("\n".join(rows()))
