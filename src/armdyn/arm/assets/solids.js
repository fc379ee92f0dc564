// Solids of size 1 as triangles: corners with their normals, x y z and nx ny nz.

/** A surface of revolution about z: a profile of (radius, height, normal outwards, normal along z). */
function revolved(profile, parts) {
  const found = [];
  const corner = ([r, z, out, along], k) => {
    const c = Math.cos(2 * Math.PI * k / parts), s = Math.sin(2 * Math.PI * k / parts);
    return [r * c, r * s, z, out * c, out * s, along];
  };
  for (let i = 0; i + 1 < profile.length; i++) {
    for (let k = 0; k < parts; k++) {
      const [a, b] = [corner(profile[i], k), corner(profile[i], k + 1)];
      const [c, d] = [corner(profile[i + 1], k), corner(profile[i + 1], k + 1)];
      found.push(a, b, c, c, b, d);
    }
  }
  return found.flat();
}

function ball(parts) {
  const profile = [];
  for (let k = 0; k <= parts / 2; k++) {
    const angle = Math.PI * (2 * k / parts - 0.5), r = Math.cos(angle), z = Math.sin(angle);
    profile.push([r, z, r, z]);
  }
  return revolved(profile, parts);
}

// Radius 1, from z = -1/2 to 1/2, with a bevelled rim.
const drum = parts => revolved([
  [0, -0.5, 0, -1], [0.92, -0.5, 0, -1], [0.92, -0.5, 0.4, -0.9], [1, -0.44, 0.9, -0.4],
  [1, -0.44, 1, 0], [1, 0.44, 1, 0], [1, 0.44, 0.9, 0.4], [0.92, 0.5, 0.4, 0.9],
  [0.92, 0.5, 0, 1], [0, 0.5, 0, 1],
], parts);

const tube = parts => revolved([[1, -0.5, 1, 0], [1, 0.5, 1, 0]], parts);

const cone = parts => revolved([[0, 0, 0, -1], [1, 0, 0, -1], [1, 0, 0.9, 0.4], [0, 1, 0.9, 0.4]], parts);

function box() {
  const found = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const corner = (u, v) => {
        const p = [0, 0, 0], normal = [0, 0, 0];
        p[axis] = side / 2; p[(axis + 1) % 3] = u * side / 2; p[(axis + 2) % 3] = v / 2;
        normal[axis] = side;
        return [...p, ...normal];
      };
      found.push(corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, -1), corner(1, 1), corner(-1, 1));
    }
  }
  return found.flat();
}

const SOLIDS = { ball, drum, tube, cone, box };
