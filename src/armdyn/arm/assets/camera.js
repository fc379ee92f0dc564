// The eye: it turns about a point, with the direction against the weight upright.

class Camera {
  constructor(up, centre, size) {
    this.up = up;
    this.ahead = cross(across(up), up);
    this.aside = cross(up, this.ahead);
    this.start = { centre, distance: 2.45 * size, azimuth: -0.85, elevation: 0.32 };
    this.width = this.height = 1;
    this.reset();
  }

  reset() { Object.assign(this, this.start); }

  turn(dx, dy) {
    this.azimuth -= 0.008 * dx;
    this.elevation = clamp(this.elevation + 0.008 * dy, -1.5, 1.5);
  }

  pan(dx, dy) {
    const scale = 2 * this.distance * TAN / this.height;
    const { right, over } = this.axes();
    this.centre = add(this.centre, add(times(-dx * scale, right), times(dy * scale, over)));
  }

  zoom(factor) {
    const far = this.start.distance;
    this.distance = clamp(this.distance * factor, 0.08 * far, 6 * far);
  }

  /** Directions of the picture: to the right, upwards, and from the eye into it. */
  axes() {
    const level = add(times(Math.cos(this.azimuth), this.ahead), times(Math.sin(this.azimuth), this.aside));
    const back = add(times(Math.cos(this.elevation), level), times(Math.sin(this.elevation), this.up));
    const right = unit(cross(this.up, back));
    return { right, over: cross(back, right), into: times(-1, back) };
  }

  get eye() { return add(this.centre, times(-this.distance, this.axes().into)); }

  /** Pixels of a point, and how many of them a metre has there; null behind the eye. */
  project(p) {
    const { right, over, into } = this.axes(), d = sub(p, this.eye), depth = dot(d, into);
    if (depth <= 0.01 * this.distance) return null;
    const scale = this.height / 2 / TAN / depth;
    return {
      x: this.width / 2 + scale * dot(d, right), y: this.height / 2 - scale * dot(d, over), scale, depth,
    };
  }

  /** The point under a pixel, on the plane through a point that faces the eye. */
  under(x, y, point) {
    const { right, over, into } = this.axes(), eye = this.eye;
    const scale = 2 * TAN / this.height;
    const ray = add(into, add(times((x - this.width / 2) * scale, right),
      times((this.height / 2 - y) * scale, over)));
    return add(eye, times(dot(sub(point, eye), into), ray));
  }

  /** The matrix from points to clip coordinates, column by column. */
  matrix() {
    const { right, over, into } = this.axes(), eye = this.eye;
    const near = 0.02 * this.distance, far = 20 * this.distance;
    const sx = this.height / this.width / TAN, sy = 1 / TAN;
    const a = (far + near) / (far - near), b = -2 * far * near / (far - near);
    const rows = [
      [...times(sx, right), -sx * dot(right, eye)],
      [...times(sy, over), -sy * dot(over, eye)],
      [...times(a, into), -a * dot(into, eye) + b],
      [...into, -dot(into, eye)],
    ];
    return new Float32Array([0, 1, 2, 3].flatMap(j => rows.map(row => row[j])));
  }
}

const TAN = Math.tan(0.3); // of half the angle of view, from bottom to top
