// An arm that is let go: Runge-Kutta steps of its own forward dynamics, with dry friction and stops.
//
// Friction that jumps where a joint changes direction cannot be a function of the speed: a joint at
// rest is held by whatever torque is needed. So the jump is taken out of the friction, and at each
// step a torque within the jump is found that brings as many joints as possible to rest: projected
// Gauss-Seidel on speeds at the end of the step. A stop is the same with one bound at infinity.

const STEP = 5e-4;
const SLOW = 1e-9; // a speed whose sign counts, and nothing else
const ROUNDS = 60;

class Fall {
  constructor(scene, programs) {
    this.programs = programs;
    this.n = scene.joints.length;
    this.lower = scene.joints.map(joint => joint.lower ?? -Infinity);
    this.upper = scene.joints.map(joint => joint.upper ?? Infinity);
    this.loaded = scene.loadFriction;
    this.smoothly = programs.forward_dynamics_without_friction ?? programs.forward_dynamics;
    this.friction = true;
    this.stops = true;
    this.zero = Array(this.n).fill(0);
    this.held = [...this.zero];
    this.qdd = [...this.zero];
  }

  get possible() { return Boolean(this.smoothly && this.programs.inverse_mass_matrix); }

  /** Friction torques at speeds; those that grow with the load take that of the last step. */
  frictionAt(q, qd) {
    if (!this.friction) return this.zero;
    if (!this.loaded) return this.programs.friction ? this.programs.friction(qd) : this.zero;
    const all = this.programs.inverse_dynamics(q, qd, this.qdd);
    const rest = this.programs.inverse_dynamics_without_friction(q, qd, this.qdd);
    return all.map((x, k) => x - rest[k]);
  }

  /** Half the jump of friction at rest, for each joint. */
  jumps(q) {
    const plus = this.frictionAt(q, this.zero.map(() => SLOW));
    const minus = this.frictionAt(q, this.zero.map(() => -SLOW));
    return plus.map((x, k) => Math.max(0, (x - minus[k]) / 2));
  }

  /** Move on by one step under drive torques and torques from outside. */
  step(q, qd, tau, h = STEP) {
    const jump = this.jumps(q);
    const rest = v => this.frictionAt(q, v).map((x, k) => x - Math.sign(v[k]) * jump[k]);
    const low = jump.map((x, k) => this.stops && q[k] >= this.upper[k] ? -Infinity : -x);
    const high = jump.map((x, k) => this.stops && q[k] <= this.lower[k] ? Infinity : x);
    const held = this.holding(q, qd, tau, rest, low, high, h);
    const drive = tau.map((x, k) => x + held[k]);
    const acceleration = (p, v) => {
      const f = rest(v);
      return this.smoothly(p, v, drive.map((x, k) => x - f[k]));
    };
    const moved = (a, b, s) => a.map((x, k) => x + s * b[k]);
    const a1 = acceleration(q, qd);
    const v2 = moved(qd, a1, h / 2), a2 = acceleration(moved(q, qd, h / 2), v2);
    const v3 = moved(qd, a2, h / 2), a3 = acceleration(moved(q, v2, h / 2), v3);
    const v4 = moved(qd, a3, h), a4 = acceleration(moved(q, v3, h), v4);
    const mean = (k, a, b, c, d) => (a[k] + 2 * b[k] + 2 * c[k] + d[k]) / 6;
    const next = q.map((x, k) => x + h * mean(k, qd, v2, v3, v4));
    const speed = qd.map((x, k) => x + h * mean(k, a1, a2, a3, a4));
    this.qdd = a1;
    for (let k = 0; k < this.n; k++) {
      const resting = low[k] < high[k] && held[k] > low[k] && held[k] < high[k];
      if (resting) speed[k] = 0;
      if (resting && qd[k] === 0) next[k] = q[k];
      if (this.stops && low[k] === -Infinity && resting) next[k] = this.upper[k];
      if (this.stops && high[k] === Infinity && resting) next[k] = this.lower[k];
    }
    return [next, speed];
  }

  /** Torques within bounds that bring joints to rest at the end of a step, as far as they can. */
  holding(q, qd, tau, rest, low, high, h) {
    if (low.every((x, k) => x === 0 && high[k] === 0)) return this.zero;
    const A = this.programs.inverse_mass_matrix(q), f = rest(qd);
    const free = this.smoothly(q, qd, tau.map((x, k) => x - f[k]));
    const held = this.held.map((x, k) => clamp(x, low[k], high[k]));
    for (let round = 0; round < ROUNDS; round++) {
      let change = 0;
      for (let i = 0; i < this.n; i++) {
        let speed = qd[i] / h + free[i];
        for (let j = 0; j < this.n; j++) speed += A[i][j] * held[j];
        const next = clamp(held[i] - speed / A[i][i], low[i], high[i]);
        change = Math.max(change, Math.abs(next - held[i]) * A[i][i]);
        held[i] = next;
      }
      if (change < 1e-9) break;
    }
    this.held = held;
    return held;
  }
}
