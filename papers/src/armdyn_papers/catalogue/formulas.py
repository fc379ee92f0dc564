r"""The equations of each paper's method, corrected, as LaTeX in the symbols of the paper.

The last column has the numbers of the equations, whose verdicts are in the catalogue. Spaces in
words are written ~, which LaTeX and the site show alike.
"""

from __future__ import annotations

# By the names of the papers: what the symbols are, and the lines of the equations.
SYMBOLS: dict[str, str] = {
    "lin_fang_1999": "Composite body i is links i to n: mass m̂, first moment ĉ and inertia Ĵ about "
    "the origin of E_i. f and t are the force and the moment at joint j for a unit acceleration of "
    "joint i alone; K\\* is 1 for a rotational joint, else 0, and K = 1 - K\\*. D is the inertia "
    "matrix. k, U are constants of the arm, l, V vary with its position.",
    "lin_1991": "Composite body j is links j to n: mass m̄, first moment P and inertia J about the "
    "origin of the base frame, from which s_j leads to joint j; p_i leads to the centre of link i. "
    "f and e are the force, and the moment about that origin, that give joint j alone a unit "
    "acceleration. H is the inertia matrix, b the bias. Most symbols are not legible: P, e and A "
    "are [ours](derivations.md).",
    "saha_1999": "Twist t and wrench w of a link are taken at its centre of mass. B carries a "
    "twist from one link to the next, p is the twist that a joint gives, M = diag(I, m 1) the "
    "extended mass. M̃ is that of a composite body, M̂ that of an articulated one.",
    "lin_1994": "y are the torques, x the inertia parameters of all links. r is the first "
    "rotational joint, s the next one whose axis is not parallel to it; k and U are the constant "
    "parts of first moments and inertias of composite bodies.",
    "mata_2002": "G is the Gibbs function, all vectors are in the frame of their link. Ω is the "
    "matrix of angular acceleration, J Euler's tensor. r leads from a joint to a centre of mass, s "
    "from joint to joint; D is the inertia matrix.",
}

FORMULAS: dict[str, str] = {
    "lin_fang_1999": r"""
\hat m_i &= \sum_{j=i}^{n} m_j, \quad
\hat{\mathbf c}_i = \sum_{j=i}^{n} m_j \left( {}^{j}_{i}\mathbf s + \mathbf c_j \right)
  & \text{(3),~(4)} \\
\hat{\mathbf J}_i &= \sum_{j=i}^{n} {}^{j}_{i}\mathbf R \, \mathbf I_j \, {}^{j}_{i}\mathbf R^T
  - m_j [({}^{j}_{i}\mathbf s + \mathbf c_j) \times]^2 & \text{(5)} \\
\mathbf f_{i,i} &= K_i^* \, \mathbf u_i \times \hat{\mathbf c}_i + K_i \hat m_i \mathbf u_i, \quad
\mathbf t_{i,i} = K_i^* \hat{\mathbf J}_i \mathbf u_i + K_i \, \hat{\mathbf c}_i \times \mathbf u_i
  & \text{(7),~(8)} \\
\mathbf f_{j,i} &= {}^{j+1}_{j}\mathbf R \, \mathbf f_{j+1,i}, \quad
\mathbf t_{j,i} = {}^{j+1}_{j}\mathbf R \, \mathbf t_{j+1,i}
  + {}^{j+1}_{j}\mathbf s \times \mathbf f_{j,i} & \text{(9),~(10)} \\
D_{ji} &= \mathbf u_j \cdot \left( K_j^* \mathbf t_{j,i} + K_j \mathbf f_{j,i} \right)
  & \text{(11):~Formulation~1} \\
D_{ji} &= \mathbf u_j \cdot \left( \hat{\mathbf J}_i \mathbf u_i
  + {}^{i}_{j}\mathbf s \times (\mathbf u_i \times \hat{\mathbf c}_i) \right),
  \quad \text{rotational~i~and~j,~all~in~} E_i & \text{(20):~Formulation~2} \\
\hat{\mathbf c}_i &= \mathbf k_i + \mathbf l_i, \quad
\hat{\mathbf J}_i = \mathbf U_i + \mathbf V_i & \text{(22),~(23)} \\
\mathbf V_i &= {}^{i+1}_{i}\mathbf R \left( \mathbf V_{i+1} + \begin{bmatrix}
  U_{11} - U_{22} & U_{12} & U_{13} \\ U_{12} & 0 & U_{23} \\ U_{13} & U_{23} & U_{33}
  \end{bmatrix}_{i+1} \right) {}^{i+1}_{i}\mathbf R^T & \text{(25)} \\
  & - [{}^{i+1}_{i}\mathbf s \times][\mathbf l_i \times]
  - [\mathbf l_i \times][{}^{i+1}_{i}\mathbf s \times], \quad \text{rotational~} i+1
""",
    "lin_1991": r"""
\mathbf P_j &= \sum_{i=j}^{n} m_i \mathbf p_i, \quad
\mathbf J'_j = \sum_{i=j}^{n} \left( \mathbf I'_i - m_i \mathbf p_i \mathbf p_i^T \right), \quad
\mathbf J_j = \mathbf J'_j - \text{tr}[\mathbf J'_j] \mathbf E & \text{(15),~(22),~(23)} \\
\mathbf f_j &= K_j^* \left( \mathbf u_j \times \mathbf P_j - \bar m_j \, \mathbf u_j \times
  \mathbf s_j \right) + K_j \bar m_j \mathbf u_j & \text{(8)} \\
\mathbf e_j &= K_j^* \left( \mathbf J_j \mathbf u_j - \mathbf P_j \times
  (\mathbf u_j \times \mathbf s_j) \right) + K_j \mathbf P_j \times \mathbf u_j & \text{(9)} \\
H_{mj} &= K_m^* \left( \mathbf u_m \cdot \mathbf e_j
  - (\mathbf u_m \times \mathbf s_m) \cdot \mathbf f_j \right) + K_m \mathbf u_m \cdot \mathbf f_j,
  \quad m \le j & \text{(12)} \\
D_{mkj} &= K_k^* \mathbf u_k \cdot \mathbf d_{mj}, \quad
\mathbf d_{mj} = \mathbf A_j \mathbf w_m + \mathbf f_j \times \mathbf v_m, \quad m, k \le j
  & \text{(45),~(46)} \\
b_m &= \eta_m + \sum_{j>m} \dot q_j \, \mathbf d_{mj} \cdot (\boldsymbol\omega_{j-1}
  + \boldsymbol\omega_j) - \sum_{j<m} \dot q_j \, \mathbf d_{jm} \cdot (\boldsymbol\omega_{j-1}
  + \boldsymbol\omega_j) & \text{(53)} \\
\eta_j &= - \mathbf f_j \cdot \mathbf g & \text{(58)}
""",
    "saha_1999": r"""
\mathbf M_i \dot{\mathbf t}_i + \boldsymbol\Omega_i \mathbf M_i \mathbf t_i &= \mathbf w_i, \quad
\mathbf t_i = \mathbf B_{ij} \mathbf t_j + \mathbf p_i \dot\theta_i & \text{(7),~(10)} \\
\mathbf B_{ij} &= \begin{bmatrix} \mathbf 1 & \mathbf O \\ \mathbf c_{ij} \times \mathbf 1 &
  \mathbf 1 \end{bmatrix}, \quad \mathbf p_i = \begin{bmatrix} \mathbf e_i \\
  \mathbf e_i \times \mathbf d_i \end{bmatrix} \text{~or~} \begin{bmatrix} \mathbf 0 \\
  \mathbf e_i \end{bmatrix} & \text{(11),~(13)} \\
\mathbf t &= \mathbf N \dot{\boldsymbol\theta}, \quad \mathbf N = \mathbf N_l \mathbf N_d, \quad
\mathbf I \ddot{\boldsymbol\theta} + \mathbf C \dot{\boldsymbol\theta} = \boldsymbol\tau
  & \text{(14),~(18)} \\
\mathbf I &= \mathbf N^T \mathbf M \mathbf N, \quad \mathbf C = \mathbf N^T
  (\mathbf M \dot{\mathbf N} + \boldsymbol\Omega \mathbf M \mathbf N) & \text{(18)} \\
i_{ij} &= \mathbf p_i^T \tilde{\mathbf M}_i \mathbf B_{ij} \mathbf p_j, \quad
\tilde{\mathbf M}_i = \mathbf M_i + \mathbf B_{i+1,i}^T \tilde{\mathbf M}_{i+1} \mathbf B_{i+1,i}
  & \text{(22),~(21)} \\
\mathbf I &= \mathbf U \mathbf D \mathbf U^T, \quad
\hat m_i = \mathbf p_i^T \hat{\mathbf M}_i \mathbf p_i, \quad
\alpha_{ij} = \frac{1}{\hat m_j} \mathbf p_i^T \mathbf B_{ji}^T \hat{\mathbf M}_j \mathbf p_j
  & \text{(32),~(34)} \\
\hat{\mathbf M}_i &= \mathbf M_i + \mathbf B_{i+1,i}^T \boldsymbol\Psi_{i+1}
  \hat{\mathbf M}_{i+1} \mathbf B_{i+1,i}, \quad \boldsymbol\Psi_i = \mathbf 1
  - \frac{1}{\hat m_i} \hat{\mathbf M}_i \mathbf p_i \mathbf p_i^T & \text{(35)} \\
\mathbf I^{-1} &= \mathbf U^{-T} \mathbf D^{-1} \mathbf U^{-1} & \text{(36)} \\
\mathbf U^{-1} &= \mathbf 1 - \sum_{i=2}^{n} \boldsymbol\alpha'_i \boldsymbol\lambda_i^T, \quad
\boldsymbol\alpha'_i = \boldsymbol\alpha_i - \sum_{k=2}^{i-1} \alpha_{ki} \boldsymbol\alpha'_k
  & \text{(38),~(39)}
""",
    "lin_1994": r"""
\mathbf y &= \mathbf A(\boldsymbol\theta) \mathbf x
  = \bar{\mathbf A}(\boldsymbol\theta) \mathbf w(\mathbf x), \quad
  \text{columns~of~} \bar{\mathbf A} \text{~and~rows~of~} \mathbf w
  \text{~independent} & \text{(1),~(3)} \\
\mathbf w^I &= \begin{bmatrix} \bar{\mathbf w}^I \\ \mathbf 0 \end{bmatrix}
  + \begin{bmatrix} \mathbf P_1 \\ \mathbf P_2 \end{bmatrix} \mathbf w^g, \quad
  \text{so~that~} \bar{\mathbf w}^I \text{~and~} \mathbf w^g \text{~make~a~set~for~}
  \boldsymbol\tau & \text{(9)} \\
\hat{\mathbf c}_i &= \mathbf k_i + \boldsymbol\ell_i, \quad
\hat{\mathbf J}_i = \mathbf U_i + \mathbf V_i & \text{(19),~(20)} \\
\mathbf k_i &= m_i \mathbf c_i + \hat m_{i+1} {}^{i+1}_{i}\mathbf s
  + {}^{i+1}_{i}\mathbf R_b (\mathbf k_{i+1})_z, \quad \text{rotational~} i+1 & \text{(21)} \\
\mathbf k_i &= m_i \mathbf c_i + \hat m_{i+1} \mathbf b_{i+1}
  + {}^{i+1}_{i}\mathbf R \mathbf k_{i+1}, \quad \text{translational~} i+1 & \text{(21)} \\
\kappa_{1i} &= - (\mathbf u_r)_y (\mathbf k_i)_x + (\mathbf u_r)_x (\mathbf k_i)_y & \text{(53)} \\
\kappa_{2i} &= - (\mathbf u_r)_z \left( (\mathbf u_r)_x (\mathbf k_i)_x
  + (\mathbf u_r)_y (\mathbf k_i)_y \right) + (1 - (\mathbf u_r)_z^2) (\mathbf k_i)_z
  & \text{(54)} \\
\mathbf b &= \mathbf M \mathbf a, \quad \mathbf M
  \text{~nonsingular,~for~any~two~minimal~sets~} \mathbf a, \mathbf b & \text{(62)}
""",
    "mata_2002": r"""
G_i &= \frac{1}{2} m_i \ddot{\mathbf r}_i^T \ddot{\mathbf r}_i
  + \frac{1}{2} \dot{\boldsymbol\omega}_i^T \mathbf I_i \dot{\boldsymbol\omega}_i
  + \dot{\boldsymbol\omega}_i^T (\boldsymbol\omega_i \times \mathbf I_i \boldsymbol\omega_i), \quad
\tau_j = \sum_{i=j}^{n} \frac{\partial G_i}{\partial \ddot q_j} & \text{(3),~(5)} \\
\mathbf f_i &= m_i (\ddot{\mathbf r}_i - \mathbf g), \quad
\tilde{\mathbf t}_i = \boldsymbol\Omega_i \mathbf J_i - (\boldsymbol\Omega_i \mathbf J_i)^T
  & \text{(9),~(10)} \\
\mathbf J_i &= \frac{1}{2} \text{trace}[\mathbf I_i] \mathbf 1 - \mathbf I_i, \quad
\boldsymbol\Omega_i = \tilde{\dot{\boldsymbol\omega}}_i + \tilde{\boldsymbol\omega}_i^2
  & \text{(11),~(12)} \\
\tau_j &= \sum_{i=j}^{n} \left( \frac{\partial \dot{\boldsymbol\omega}_i}{\partial \ddot q_j}
  \right)^T \left( \tilde{\mathbf r}_{j,i} \mathbf f_i + \mathbf t_i \right), \quad
  \text{joint~} j \text{~rotational} & \text{(13)} \\
\boldsymbol\chi_j &= \tilde{\mathbf r}_{j,j} \mathbf f_j + \tilde{\mathbf s}_{j,j+1}
  \boldsymbol\phi_j + \mathbf t_j + {}^{j}\mathbf R_{j+1} \boldsymbol\chi_{j+1}, \quad
  \tau_j = (\boldsymbol\chi_j)_z & \text{(14),~(15)} \\
\boldsymbol\phi_j &= {}^{j}\mathbf R_{j+1} \left( \mathbf f_{j+1} + \boldsymbol\phi_{j+1} \right),
  \quad \boldsymbol\phi_n = \mathbf 0, \quad \boldsymbol\chi_{n+1} = \mathbf 0 & \text{(16)} \\
D_{jk} &= \frac{\partial^2 G}{\partial \ddot q_j \partial \ddot q_k} = \sum_{i=j}^{n}
  \left( m_i \left( \frac{\partial \ddot{\mathbf r}_i}{\partial \ddot q_k} \right)^T
  \frac{\partial \ddot{\mathbf r}_i}{\partial \ddot q_j}
  + \left( \frac{\partial \dot{\boldsymbol\omega}_i}{\partial \ddot q_k} \right)^T \mathbf I_i
  \frac{\partial \dot{\boldsymbol\omega}_i}{\partial \ddot q_j} \right), \quad k \le j
  & \text{(19),~(21)}
""",
}


def method_block(name: str) -> str:
    """Return the equations of a paper as a block of Markdown."""
    lines = FORMULAS[name].strip()
    return f"```math\n\\begin{{aligned}}\n{lines}\n\\end{{aligned}}\n```\n"
