"""The table of methods: what can be computed, and by whose formulas. One row a method."""

from armdyn.algorithms.quantity import Method, Quantity

LUH = "[LuhWalkerPaul1980], baseline of [Mata2002] Table 1"

QUANTITIES: dict[str, Quantity] = {
    "mass_matrix": Quantity(("q",), {"M": ("n", "n")}, {
        "lin_fang_1": Method("lin_fang_1:mass_matrix", "[LinFang1999] Table I"),
        "lin_fang_2": Method("lin_fang_2:mass_matrix", "[LinFang1999] Table II"),
        "lin_fang_3": Method("lin_fang_3:mass_matrix", "[LinFang1999] Table III"),
        "lin_fang_4": Method("lin_fang_4:mass_matrix", "[LinFang1999] Table IV"),
        "lin_fang_5": Method("lin_fang_5:mass_matrix", "[LinFang1999] Table V"),
        "lin_fang_1_minimal": Method(
            "lin_fang_1_minimal:mass_matrix", "[LinFang1999] Tables I and VII, (29)-(31)"
        ),
        "lin_fang_2_minimal": Method(
            "lin_fang_2_minimal:mass_matrix", "[LinFang1999] Tables II and VII, (32)"
        ),
        "lin_1991": Method("lin_1991:mass_matrix", "[Lin1991] (12)"),
        "renaud": Method("renaud:mass_matrix", "[Renaud1986]; [Lin1991] Appendix"),
        "walker_orin": Method(
            "walker_orin:mass_matrix", "[WalkerOrin1982], baseline of [Mata2002] Table 2"
        ),
        "gibbs_appell": Method("gibbs_appell_inertia:mass_matrix", "[Mata2002] 4.2"),
        "denoc": Method("denoc:mass_matrix", "[Saha1999] (22)"),
        "second_moment": Method(
            "second_moment_inertia:mass_matrix", "composites of second moments"
        ),
        "common_frame": Method("common_frame:mass_matrix", "the same, in one frame"),
        "split": Method("split:mass_matrix", "[LinFang1999] Formulations 1 and 3, meeting midway"),
    }),
    "inverse_dynamics": Quantity(("q", "qd", "qdd"), {"tau": ("n",)}, {
        "gibbs_appell": Method("gibbs_appell:inverse_dynamics", "[Mata2002] 4.1"),
        "newton_euler": Method("newton_euler:inverse_dynamics", LUH),
        "second_moment": Method("second_moment:inverse_dynamics", "[Mata2002] 4.1, regrouped"),
    }),
    "bias": Quantity(("q", "qd"), {"tau": ("n",)}, {
        "gibbs_appell": Method("gibbs_appell:bias", "[Mata2002] 4.1"),
        "newton_euler": Method("newton_euler:bias", LUH),
        "second_moment": Method("second_moment:bias", "[Mata2002] 4.1, regrouped"),
        "lin_1991": Method("lin_1991_bias:bias", "[Lin1991] (53)-(58)"),
    }),
    "gravity": Quantity(("q",), {"tau": ("n",)}, {
        "gibbs_appell": Method("gibbs_appell:gravity", "[Mata2002] 4.1"),
        "newton_euler": Method("newton_euler:gravity", LUH),
        "second_moment": Method("second_moment:gravity", "[Mata2002] 4.1, regrouped"),
        "lin_1991": Method("lin_1991:gravity", "[Lin1991] (58)"),
        "lin_1994": Method("lin_1994:gravity", "[Lin1994] (18)"),
    }),
    "coriolis_matrix": Quantity(("q", "qd"), {"C": ("n", "n")}, {
        "lin_1991": Method("christoffel:coriolis_matrix", "[Lin1991] (32)-(46), summed over k"),
        "second_moment": Method("christoffel:from_moments", "the same, regrouped"),
    }),
    "forward_dynamics": Quantity(("q", "qd", "tau"), {"qdd": ("n",)}, {
        "gibbs_appell": Method("gibbs_appell_forward:forward_dynamics", "[Mata2002] 4.2, Table 3"),
        "mass_matrix_udu": Method("mass_matrix_udu:forward_dynamics", "[Saha1999] 5.1 on numbers"),
        "denoc": Method("denoc_forward:forward_dynamics", "[Saha1999] (36), recursively"),
        "articulated_body": Method("articulated_body:forward_dynamics", "[Featherstone1983]"),
    }),
    "inverse_dynamics_derivatives": Quantity(
        ("q", "qd", "qdd"),
        {"dtau_dq": ("n", "n"), "dtau_dqd": ("n", "n"), "M": ("n", "n")},
        {
            "recursive": Method(
                "inverse_dynamics_derivatives:inverse_dynamics_derivatives",
                "[Singh2022], in second moments",
            ),
            "recursive_to_base": Method(
                "inverse_dynamics_derivatives:passed_to_base",
                "the same, wrenches passed all the way",
            ),
        },
    ),
    "forward_dynamics_derivatives": Quantity(
        ("q", "qd", "tau"),
        {"dqdd_dq": ("n", "n"), "dqdd_dqd": ("n", "n"), "Minv": ("n", "n")},
        {
            "recursive": Method(
                "forward_dynamics_derivatives:forward_dynamics_derivatives",
                "[Singh2022], in second moments, solved for qdd",
            ),
        },
    ),
    "inverse_mass_matrix": Quantity(("q",), {"Minv": ("n", "n")}, {
        "denoc": Method("denoc_inverse:inverse_mass_matrix", "[Saha1999] (36)-(41)"),
        "mass_matrix_udu": Method(
            "mass_matrix_udu:inverse_mass_matrix", "[Saha1999] 5.1 on numbers"
        ),
    }),
    "udu": Quantity(("q",), {"U": ("n", "n"), "D": ("n",)}, {
        "denoc": Method("denoc_udu:udu", "[Saha1999] (33)-(35)"),
        "mass_matrix_udu": Method("mass_matrix_udu:udu", "[Saha1999] 5.1 on numbers"),
    }),
    "regressor": Quantity(("q", "qd", "qdd"), {"Y": ("n", "10n")}, {
        "newton_euler": Method("regressor:regressor", "Newton-Euler, one parameter at a time"),
    }, about_frames=True),
    "kinetic_energy": Quantity(("q", "qd"), {"T": ()}, {
        "link_sum": Method("energy:kinetic_energy", "sum over links and rotors"),
        "second_moment": Method("energy:kinetic_energy_from_moments", "the same, regrouped"),
    }),
    "potential_energy": Quantity(("q",), {"V": ()}, {
        "link_sum": Method("energy:potential_energy", "sum over links"),
    }),
    "pose": Quantity(("q",), {"T": (4, 4)}, {
        "product": Method("kinematics:pose", "product of the placements of the joints"),
    }, takes_frame=True, about_frames=True),
    "jacobian": Quantity(("q",), {"J": (6, "n")}, {
        "geometric": Method("kinematics:jacobian", "axes and arms of the joints"),
    }, takes_frame=True, about_frames=True),
    "jacobian_derivative": Quantity(
        ("q", "qd"), {"dJ": (6, "n")}, takes_frame=True, about_frames=True
    ),
    "friction": Quantity(("qd",), {"tau": ("n",)}, {
        "linear": Method("friction:friction", "viscous, Coulomb and offset"),
    }),
}  # fmt: skip
"""Everything an arm can compute from its state."""
