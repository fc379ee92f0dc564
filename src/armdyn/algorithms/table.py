"""The table of quantities: what can be computed, by which methods, with all properties.

A new method is a line in `methods`, a new quantity is a row. Fields are explained at `Quantity`.
"""

from armdyn.algorithms.quantity import Derivative, Identity, Method, Quantity, RolledMethod
from armdyn.robot.chain import COUPLED, MOVING, TRANSLATING, TREE

LUH = "[LuhWalkerPaul1980], baseline of [Mata2002] Table 1"

# Everything an arm can compute from its state.
QUANTITIES: dict[str, Quantity] = {
    "mass_matrix": Quantity(
        ("q",),
        {"M": ("n", "n")},
        {
            "lin_fang_1": Method("lin_fang_1:mass_matrix", "[LinFang1999] Table I"),
            "lin_fang_2": Method("lin_fang_2:mass_matrix", "[LinFang1999] Table II", race=False),
            "lin_fang_3": Method("lin_fang_3:mass_matrix", "[LinFang1999] Table III", race=False),
            "lin_fang_4": Method("lin_fang_4:mass_matrix", "[LinFang1999] Table IV", race=False),
            "lin_fang_5": Method("lin_fang_5:mass_matrix", "[LinFang1999] Table V", race=False),
            "lin_fang_1_minimal": Method(
                "lin_fang_1_minimal:mass_matrix",
                "[LinFang1999] Tables I and VII, (29)-(31)",
                race=False,
            ),
            "lin_fang_2_minimal": Method(
                "lin_fang_2_minimal:mass_matrix",
                "[LinFang1999] Tables II and VII, (32)",
                race=False,
            ),
            "lin_1990": Method(
                "lin_1990:mass_matrix", "an earlier method, [Lin1991] section 1", race=False
            ),
            "lin_1991": Method("lin_1991:mass_matrix", "[Lin1991] (12)", race=False),
            "renaud": Method("renaud:mass_matrix", "[Renaud1986]; [Lin1991] Appendix", race=False),
            "walker_orin": Method(
                "walker_orin:mass_matrix",
                "[WalkerOrin1982], baseline of [Mata2002] Table 2",
                race=False,
            ),
            "gibbs_appell": Method(
                "gibbs_appell_inertia:mass_matrix", "[Mata2002] 4.2", race=False
            ),
            "gibbs_appell_sums": Method(
                "gibbs_appell_sums:mass_matrix", "[Mata2002] (21)", race=False
            ),
            "denoc": Method("denoc:mass_matrix", "[Saha1999] (22)", mechanism=COUPLED),
            "second_moment": Method(
                "second_moment_inertia:mass_matrix",
                "composites of second moments",
                mechanism=COUPLED,
            ),
            "common_frame": Method("common_frame:mass_matrix", "the same, in one frame"),
            "split": Method(
                "split:mass_matrix", "[LinFang1999] Formulations 1 and 3, meeting midway"
            ),
            "fijany_bejczy": Method(
                "fijany_bejczy:mass_matrix", "[Lin1991] Appendix, in E_2", race=False
            ),
            "met": Method(
                "met:mass_matrix",
                "composites of second moments, meeting midway",
                race="trees",
                mechanism=COUPLED,
            ),
        },
        sentence="The mass matrix M(q) [kg m^2] ([kg m] and [kg] where joints slide), symmetric, "
        "rotor inertias included.",
        rolled=RolledMethod("rolled.matrices:mass_matrix"),
        general="split",
        minimal=True,
    ),
    "inverse_dynamics": Quantity(
        ("q", "qd", "qdd"),
        {"tau": ("n",)},
        {
            "gibbs_appell": Method(
                "gibbs_appell:inverse_dynamics",
                "[Mata2002] 4.1",
                base=MOVING,
                race=False,
                mechanism=COUPLED,
            ),
            "gibbs_appell_sums": Method(
                "gibbs_appell_sums:inverse_dynamics", "[Mata2002] (13)", base=MOVING, race=False
            ),
            "newton_euler": Method(
                "newton_euler:inverse_dynamics", LUH, base=MOVING, race=False, mechanism=COUPLED
            ),
            "second_moment": Method(
                "second_moment:inverse_dynamics",
                "[Mata2002] 4.1, regrouped",
                base=MOVING,
                mechanism=COUPLED,
            ),
        },
        sentence="The torques M qdd + C qd + g + friction, rotor inertias included.",
        rolled=RolledMethod("rolled.inverse:inverse_dynamics"),
        general="second_moment",
        minimal=True,
        friction="friction:in_inverse_dynamics",
    ),
    "bias": Quantity(
        ("q", "qd"),
        {"tau": ("n",)},
        {
            "gibbs_appell": Method(
                "gibbs_appell:bias", "[Mata2002] 4.1", base=MOVING, race=False, mechanism=COUPLED
            ),
            "newton_euler": Method(
                "newton_euler:bias", LUH, base=MOVING, race=False, mechanism=COUPLED
            ),
            "second_moment": Method(
                "second_moment:bias", "[Mata2002] 4.1, regrouped", base=MOVING, mechanism=COUPLED
            ),
            "lin_1991": Method(
                "lin_1991_bias:bias", "[Lin1991] (53)-(58)", base=TRANSLATING, race=False
            ),
        },
        sentence="The torques C qd + g, without friction.",
        rolled=RolledMethod("rolled.inverse:inverse_dynamics"),
        general="second_moment",
        minimal=True,
    ),
    "gravity": Quantity(
        ("q",),
        {"tau": ("n",)},
        {
            "gibbs_appell": Method(
                "gibbs_appell:gravity", "[Mata2002] 4.1", race=False, mechanism=COUPLED
            ),
            "newton_euler": Method("newton_euler:gravity", LUH, race=False, mechanism=COUPLED),
            "second_moment": Method(
                "second_moment:gravity", "[Mata2002] 4.1, regrouped", mechanism=COUPLED
            ),
            "lin_1991": Method("lin_1991:gravity", "[Lin1991] (58)", race=False),
            "lin_1994": Method("lin_1994:gravity", "[Lin1994] (18)", mechanism=COUPLED),
        },
        sentence="The torques g(q) that hold the arm still.",
        rolled=RolledMethod("rolled.inverse:inverse_dynamics"),
        general="lin_1994",
        minimal=True,
    ),
    "coriolis_matrix": Quantity(
        ("q", "qd"),
        {"C": ("n", "n")},
        {
            "lin_1991": Method("christoffel:coriolis_matrix", "[Lin1991] (32)-(46), summed over k"),
            "second_moment": Method("christoffel:from_moments", "the same, regrouped"),
            "half_derivative": Method(
                "inverse_dynamics_derivatives:coriolis_matrix",
                "half the derivative of the bias by qd",
                race="trees",
                mechanism=COUPLED,
            ),
        },
        sentence="The matrix C(q, qd) in Christoffel form: dM/dt - 2C is skew.",
        minimal=True,
        identity=Identity("C qd = bias - gravity", "identities:coriolis_matrix"),
    ),
    "forward_dynamics": Quantity(
        ("q", "qd", "tau"),
        {"qdd": ("n",)},
        {
            "gibbs_appell": Method(
                "gibbs_appell_forward:forward_dynamics",
                "[Mata2002] 4.2, Table 3",
                base=MOVING,
                race=False,
            ),
            "mass_matrix_udu": Method(
                "mass_matrix_udu:forward_dynamics",
                "[Saha1999] 5.1 on numbers",
                base=MOVING,
                mechanism=COUPLED,
                projected=True,
            ),
            "denoc": Method(
                "denoc_forward:forward_dynamics",
                "[Saha1999] (36), recursively",
                base=MOVING,
                mechanism=TREE,
            ),
            "articulated_body": Method(
                "articulated_body:forward_dynamics",
                "[Featherstone1983]",
                base=MOVING,
                race=False,
                mechanism=TREE,
            ),
        },
        sentence="The accelerations that the torques tau cause, friction taken off them.",
        rolled=RolledMethod("rolled.forward:forward_dynamics"),
        general="denoc",
        needs_invertible_mass_matrix=True,
        solves=True,
        minimal=True,
        friction="friction:in_forward_dynamics",
    ),
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
                mechanism=COUPLED,
            ),
        },
        sentence="The derivatives of the torques of inverse_dynamics by q and by qd, and the mass "
        "matrix, which is that by qdd: row i is of torque i, column j by joint j. The "
        "slope of friction is included; friction of the load changes all three.",
        derived={
            "forward": Derivative(
                "inverse_dynamics", "forward", "inverse_dynamics, carried forward"
            ),
            "reverse": Derivative("inverse_dynamics", "reverse", "inverse_dynamics, followed back"),
        },
        minimal=True,
        friction="friction:in_inverse_dynamics_derivatives",
        identity=Identity("d tau", "identities:inverse_dynamics_derivatives", by_differences=True),
    ),
    "forward_dynamics_derivatives": Quantity(
        ("q", "qd", "tau"),
        {"dqdd_dq": ("n", "n"), "dqdd_dqd": ("n", "n"), "Minv": ("n", "n")},
        {
            "recursive": Method(
                "forward_dynamics_derivatives:forward_dynamics_derivatives",
                "[Singh2022], in second moments, solved for qdd",
                mechanism=COUPLED,
                projected=True,
            ),
        },
        sentence="The derivatives of the accelerations of forward_dynamics by q and by qd, and the"
        " inverse mass matrix, which is that by tau: row i is of acceleration i, column j"
        " by joint j. The slope of friction is included.",
        derived={
            "forward": Derivative(
                "inverse_dynamics",
                "forward",
                "inverse_dynamics, carried forward, solved for qdd",
                then="forward_dynamics_derivatives:forward_dynamics_derivatives",
            ),
            "reverse": Derivative(
                "inverse_dynamics",
                "reverse",
                "inverse_dynamics, followed back, solved for qdd",
                then="forward_dynamics_derivatives:forward_dynamics_derivatives",
            ),
        },
        needs_invertible_mass_matrix=True,
        solves=True,
        minimal=True,
        friction="friction:in_forward_dynamics_derivatives",
        identity=Identity("M dqdd = -dtau", "identities:forward_dynamics_derivatives"),
    ),
    "inverse_mass_matrix": Quantity(
        ("q",),
        {"Minv": ("n", "n")},
        {
            "denoc": Method(
                "denoc_inverse:inverse_mass_matrix", "[Saha1999] (36)-(39)", mechanism=TREE
            ),
            "mass_matrix_udu": Method(
                "mass_matrix_udu:inverse_mass_matrix",
                "[Saha1999] 5.1 on numbers",
                mechanism=COUPLED,
                projected=True,
            ),
            "denoc_closed": Method(
                "denoc_closed_inverse:inverse_mass_matrix", "[Saha1999] (36), (41)", race=False
            ),
        },
        sentence="The inverse of the mass matrix, rotor inertias included.",
        rolled=RolledMethod("rolled.matrices:inverse_mass_matrix", work=2),
        general="mass_matrix_udu",
        needs_invertible_mass_matrix=True,
        solves=True,
        minimal=True,
        identity=Identity("M Minv = 1", "identities:inverse_mass_matrix"),
    ),
    "udu": Quantity(
        ("q",),
        {"U": ("n", "n"), "D": ("n",)},
        {
            "denoc": Method("denoc_udu:udu", "[Saha1999] (33)-(35)", mechanism=TREE),
            "mass_matrix_udu": Method(
                "mass_matrix_udu:udu",
                "[Saha1999] 5.1 on numbers",
                mechanism=COUPLED,
                projected=True,
            ),
        },
        sentence="Unit upper triangular U and diagonal D with M = U diag(D) U^T.",
        needs_invertible_mass_matrix=True,
        minimal=True,
        identity=Identity("M = U D U^T", "identities:udu"),
    ),
    "regressor": Quantity(
        ("q", "qd", "qdd"),
        {"Y": ("n", "10n")},
        {
            "newton_euler": Method(
                "regressor:regressor", "Newton-Euler, one parameter at a time", mechanism=COUPLED
            ),
        },
        sentence="The matrix Y: Y times the inertial parameters of the links (each m, mx, my, mz, "
        "Ixx, Ixy, Iyy, Ixz, Iyz, Izz, about the origin) are the torques less rotors and "
        "friction.",
        frame_dependent=True,
        identity=Identity("Y p = tau", "identities:regressor"),
    ),
    "kinetic_energy": Quantity(
        ("q", "qd"),
        {"T": ()},
        {
            "link_sum": Method(
                "energy:kinetic_energy", "sum over links and rotors", race=False, mechanism=COUPLED
            ),
            "second_moment": Method(
                "energy:kinetic_energy_from_moments", "the same, regrouped", mechanism=COUPLED
            ),
        },
        sentence="The kinetic energy [J] of links and rotors.",
        minimal=True,
        identity=Identity("T = qd M qd / 2", "identities:kinetic_energy"),
    ),
    "potential_energy": Quantity(
        ("q",),
        {"V": ()},
        {
            "link_sum": Method("energy:potential_energy", "sum over links", mechanism=COUPLED),
        },
        sentence="The potential energy [J]; zero for a mass at the base's origin.",
        identity=Identity("dV/dq = gravity", "identities:potential_energy", by_differences=True),
    ),
    "pose": Quantity(
        ("q",),
        {"T": (4, 4)},
        {
            "product": Method(
                "kinematics:pose", "product of the placements of the joints", mechanism=COUPLED
            ),
        },
        sentence="The placement of the tip in the base frame, a homogeneous matrix: T times a "
        "point in the frame of the tip is the point in the base frame [m].",
        takes_frame=True,
        frame_dependent=True,
        identity=Identity("d pose/dq = jacobian", "identities:pose", by_differences=True),
    ),
    "jacobian": Quantity(
        ("q",),
        {"J": (6, "n")},
        {
            "geometric": Method(
                "kinematics:jacobian", "axes and arms of the joints", mechanism=COUPLED
            ),
        },
        sentence="The Jacobian of the tip in base axes: J qd is the velocity of the tip's origin "
        "[m/s], three rows, and the angular velocity [rad/s], three rows.",
        general="geometric",
        takes_frame=True,
        frame_dependent=True,
        identity=Identity("d pose/dq = jacobian", "identities:jacobian", by_differences=True),
    ),
    "jacobian_derivative": Quantity(
        ("q", "qd"),
        {"dJ": (6, "n")},
        sentence="The time derivative of the Jacobian of the tip in base axes [1/s].",
        derived={
            "forward": Derivative(
                "jacobian", "forward", "jacobian, carried forward along qd", along=True
            ),
        },
        takes_frame=True,
        frame_dependent=True,
        identity=Identity("d jacobian/dt", "identities:jacobian_derivative", by_differences=True),
    ),
    "friction": Quantity(
        ("qd",),
        {"tau": ("n",)},
        {
            "linear": Method(
                "friction:friction", "the sum of its terms", mechanism=COUPLED, projected=True
            ),
        },
        sentence="The friction torques; dry friction is 0 at rest.",
        identity=Identity("its definition", "identities:friction"),
    ),
}

# The vectors that are inputs or outputs, with units; those of joints have n numbers.
SIGNALS = {
    "q": "joint positions [rad] or [m]",
    "qd": "joint velocities [rad/s] or [m/s]",
    "qdd": "joint accelerations [rad/s^2] or [m/s^2]",
    "tau": "joint torques [N m] or forces [N]",
    "base_acceleration": "rates of the velocity of the base in its own axes: linear [m/s^2], then, "
    "of six numbers, angular [rad/s^2]",
    "base_velocity": "velocity of the base in its own axes: of its origin [m/s], then angular "
    "[rad/s]",
}
