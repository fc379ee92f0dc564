// What is seen of the arm: solids from its description and where its frames are.

const BALL = columns([1, 0, 0], [0, 1, 0], [0, 0, 1]);

class Pieces {
  constructor(scene) {
    this.scene = scene;
    const n = scene.joints.length, many = Math.min(1, Math.sqrt(12 / n));
    this.thick = k => 0.042 * scene.size * many * (1 - 0.45 * k / Math.max(n, 1));
  }

  /** Solids at frames, in the given colours, as `show` asks for. */
  at(frames, colours, show, meshes) {
    const { scene } = this, n = scene.joints.length, tip = frames[n + 1], found = [];
    const points = [[0, 0, 0], ...scene.joints.map((joint, k) => placed(frames[k + 1], joint.anchor)),
      origin(tip)];
    const r = this.thick(0), isMesh = link => show.meshes && meshes.links.has(link);
    if (!isMesh(0)) found.push(this.along("drum", points[0], scene.up, 1.9 * r, 0.5 * r, colours.dark));
    if (show.meshes) meshes.add(found, frames, colours, show.selected);
    if (show.boxes) this.boxes(found, frames, colours);
    if (show.links) {
      for (let k = 0; k <= n; k++) {
        if (!isMesh(k)) this.capsule(found, points[k], points[k + 1], this.thick(k) * (k === n ? 0.7 : 1),
          k ? colours.link : colours.dark);
      }
    }
    scene.joints.forEach((joint, k) => {
      if (isMesh(k + 1)) return;
      const axis = column(frames[k + 1], 2), size = this.thick(k + 0.5) * (show.links ? 1.28 : 0.6);
      const colour = show.residuals ? colours.residual(show.residuals[k])
        : k === show.selected ? colours.bright(k) : colours.joint(k);
      if (joint.revolute) {
        found.push(this.along("drum", points[k + 1], axis, size, 2.3 * size, colour));
      } else {
        const turn = columns(column(frames[k + 1], 0), column(frames[k + 1], 1), axis);
        found.push({ solid: "box", turn, at: points[k + 1], size: [2 * size, 2 * size, 2.6 * size],
          colour, shadow: true });
      }
    });
    if (show.masses) this.masses(found, frames, colours);
    if (show.frames) for (const frame of [scene.base, ...frames.slice(1)]) this.axes(found, frame, colours);
    this.axes(found, tip, colours);
    return found;
  }

  along(solid, at, direction, radius, long, colour, shadow = true) {
    return { solid, turn: alongZ(direction), at, size: [radius, radius, long], colour, shadow };
  }

  ball(at, radius, colour, shadow = true) {
    return { solid: "ball", turn: BALL, at, size: [radius, radius, radius], colour, shadow };
  }

  capsule(found, a, b, radius, colour) {
    const d = sub(b, a), long = length(d);
    found.push(this.ball(b, radius, colour), this.ball(a, radius, colour));
    if (long > 1e-6 * this.scene.size) {
      found.push(this.along("tube", times(0.5, add(a, b)), d, radius, long, colour));
    }
  }

  arrow(from, vector, radius, colour) {
    const long = length(vector), head = Math.min(5 * radius, 0.6 * long);
    if (long < 1e-9) return [];
    const end = add(from, times(1 - head / long, vector));
    return [
      this.along("tube", times(0.5, add(from, end)), vector, radius, long - head, colour, false),
      this.along("cone", end, vector, 2.4 * radius, head, colour, false),
    ];
  }

  boxes(found, frames, colours) {
    this.scene.joints.forEach((joint, k) => {
      if (!joint.box) return;
      const T = composed(frames[k + 1], joint.box.placement);
      const colour = [...colours.joint(k).slice(0, 3), 0.45];
      found.push({ solid: "box", turn: T, at: origin(T), size: joint.box.size, colour, shadow: true });
    });
  }

  masses(found, frames, colours) {
    const most = Math.max(...this.scene.joints.map(joint => joint.mass));
    this.scene.joints.forEach((joint, k) => {
      if (!(joint.mass > 0)) return;
      const radius = 0.05 * this.scene.size * Math.cbrt(joint.mass / most);
      const at = placed(frames[k + 1], joint.com);
      found.push(this.ball(at, radius, [...colours.mass.slice(0, 3), 0.75], false));
    });
  }

  axes(found, frame, colours) {
    const long = 0.11 * this.scene.size;
    for (let k = 0; k < 3; k++) {
      const vector = times(long, column(frame, k));
      found.push(...this.arrow(origin(frame), vector, 0.0045 * this.scene.size, colours.axes[k]));
    }
  }

  /** The ellipsoid of accelerations of the tip under a force of the same size in all directions. */
  ellipsoid(tip, mobility, colour) {
    const { values, vectors } = eigen(mobility), most = Math.max(...values, 1e-300);
    const size = values.map(x => 0.16 * this.scene.size * Math.sqrt(Math.max(x / most, 4e-4)));
    return { solid: "ball", turn: vectors, at: tip, size, colour, shadow: false };
  }
}
