// A recorded motion: samples of each joint, and what is between them.

class Recording {
  constructor(data, decoded) {
    const read = keys => keys && keys.map(decoded);
    this.data = data;
    this.t = decoded(data.t);
    this.q = read(data.q);
    this.qd = read(data.qd);
    this.tau = read(data.tau);
    this.predicted = read(data.predicted);
    this.start = this.t[0];
    this.end = this.t[this.t.length - 1];
  }

  /** The number of the sample before a time. */
  before(time) {
    let a = 0, b = this.t.length - 1;
    while (b - a > 1) { const m = (a + b) >> 1; if (this.t[m] <= time) a = m; else b = m; }
    return a;
  }

  /** Positions and velocities at a time: cubics between samples. */
  at(time) {
    const k = this.before(time), next = Math.min(k + 1, this.t.length - 1);
    const h = this.t[next] - this.t[k], s = h > 0 ? clamp((time - this.t[k]) / h, 0, 1) : 0;
    const q = [], qd = [];
    for (let j = 0; j < this.q.length; j++) {
      const a = this.q[j][k], b = this.q[j][next], va = h * this.qd[j][k], vb = h * this.qd[j][next];
      const r = 1 - s;
      q.push((1 + 2 * s) * r * r * a + s * r * r * va + (3 - 2 * s) * s * s * b - s * s * r * vb);
      qd.push(r * this.qd[j][k] + s * this.qd[j][next]);
    }
    return { q, qd };
  }

  /** A column of numbers at a time, on the line between samples. */
  value(values, time) {
    const k = this.before(time), next = Math.min(k + 1, this.t.length - 1);
    const h = this.t[next] - this.t[k], s = h > 0 ? clamp((time - this.t[k]) / h, 0, 1) : 0;
    return (1 - s) * values[k] + s * values[next];
  }

  /** Residual torques at a time, as shares of a fifth of each joint's largest torque; null if unknown. */
  residuals(time) {
    if (!this.tau || !this.predicted || !this.isPredicted(time)) return null;
    this.largest ??= this.tau.map(x => x.reduce((most, y) => Math.max(most, Math.abs(y)), 1e-9));
    return this.tau.map((x, k) => 5 * (this.value(x, time) - this.value(this.predicted[k], time)) / this.largest[k]);
  }

  /** For each sample, whether the model's torque is known there. */
  get known() {
    return this.marked ??= Uint8Array.from(this.t, time => this.isPredicted(time));
  }

  /** Whether the model's torque is known at a time: not where a filter starts up. */
  isPredicted(time) {
    return this.data.spans.some(([a, b]) => time >= a && time <= b);
  }
}
