// Meshes of links: triangles with normals, smooth where faces hardly bend and sharp at edges.

const SMOOTH = 0.8; // cosine of the largest angle between a face and its neighbours

/** Corners and normals, x y z and nx ny nz, of a packed mesh. */
function meshSolid(mesh) {
  const [x, y, z] = mesh.corners.map(unpacked), faces = Uint32Array.from(unpacked(mesh.faces), Math.round);
  const sums = new Float32Array(3 * x.length), normals = new Float32Array(faces.length);
  for (let f = 0; f < faces.length; f += 3) {
    const [a, b, c] = [faces[f], faces[f + 1], faces[f + 2]];
    const n = cross([x[b] - x[a], y[b] - y[a], z[b] - z[a]], [x[c] - x[a], y[c] - y[a], z[c] - z[a]]);
    for (let k = 0; k < 3; k++) {
      normals[f + k] = n[k];
      for (const at of [a, b, c]) sums[3 * at + k] += n[k];
    }
  }
  const found = new Float32Array(6 * faces.length);
  for (let i = 0; i < faces.length; i++) {
    const at = faces[i], f = 3 * Math.floor(i / 3);
    const own = unit([normals[f], normals[f + 1], normals[f + 2]]);
    const all = unit([sums[3 * at], sums[3 * at + 1], sums[3 * at + 2]]);
    found.set([x[at], y[at], z[at], ...(dot(own, all) > SMOOTH ? all : own)], 6 * i);
  }
  return found;
}

/** The meshes of a page, as pieces that move with links. */
class Meshes {
  constructor(given, drawer) {
    this.given = drawer.mesh ? given : [];
    this.given.forEach((mesh, i) => drawer.mesh(`mesh${i}`, meshSolid(mesh)));
    this.links = new Set(this.given.map(mesh => mesh.link));
  }

  /** Add pieces at frames; the link of the chosen joint has some of its colour. */
  add(found, frames, colours, selected) {
    const still = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]];
    this.given.forEach(({ link, colour }, i) => {
      const frame = link ? frames[link] : still, own = colour ?? colours.link;
      const hue = colours.joint(Math.max(link - 1, 0));
      const mixed = link === selected + 1 ? own.map((x, k) => k < 3 ? 0.6 * x + 0.4 * hue[k] : x) : own;
      found.push({ solid: `mesh${i}`, turn: frame, at: origin(frame), size: [1, 1, 1], colour: mixed, shadow: true });
    });
  }
}
