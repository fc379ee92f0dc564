// Where frames are, and how joints move the tip to a point.

/** Placements of E_0, E_1 ... E_n and of the tip in the base frame. */
function framesAt(scene, q) {
  const found = [scene.base];
  scene.joints.forEach((joint, i) => {
    const c = Math.cos(q[i]), s = Math.sin(q[i]);
    const moved = joint.revolute
      ? [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0]]
      : [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, q[i]]];
    found.push(composed(composed(found[i], joint.placement), moved));
  });
  found.push(composed(found[scene.joints.length], scene.tool));
  return found;
}

/** How far a rotation is from another one: a rotation vector, for small angles. */
function turnBetween(is, wanted) {
  let error = [0, 0, 0];
  for (let k = 0; k < 3; k++) error = add(error, cross(column(is, k), column(wanted, k)));
  return times(0.5, error);
}

const FARTHEST = 0.5; // of one drag [rad or m]: a longer step would be another branch
const EXACT = 1e-9;

/** The branch of the closed form that reaches a goal near q within the limits; null if none does. */
function nearestBranch(scene, programs, q, goal) {
  if (!programs.inverse_kinematics) return null;
  const spare = scene.given === null ? [] : [[q[scene.given]]];
  const [branches, margin, beyond] = programs.inverse_kinematics(goal.flat(), ...spare);
  let best = null, least = FARTHEST;
  branches.forEach((branch, k) => {
    if (!(margin[k] >= -EXACT && beyond[k] <= EXACT)) return;
    const near = branch.map((x, i) => {
      const { revolute, lower, upper } = scene.joints[i];
      const turned = revolute ? x + 2 * Math.PI * Math.round((q[i] - x) / (2 * Math.PI)) : x;
      return turned >= (lower ?? -Infinity) && turned <= (upper ?? Infinity) ? turned : x;
    });
    const away = Math.max(...near.map((x, i) => Math.abs(x - q[i])));
    if (away < least) [best, least] = [near, away];
  });
  return best;
}

/**
 * The position that brings the tip to a goal, or nearer to it.
 *
 * It is a branch of the closed form where one goes on from q, else a step of damped least squares.
 * The turn of the tip counts `stiffness` [m/rad]; 0 leaves it free. A joint at its limit that would
 * go on is left out, and the others try again.
 */
function reached(scene, programs, q, goal, stiffness, rounds = 12) {
  const exact = stiffness > 0 ? nearestBranch(scene, programs, q, goal) : null;
  if (exact) return exact;
  const limits = scene.joints.map(joint => [joint.lower ?? -Infinity, joint.upper ?? Infinity]);
  let best = [...q];
  for (let round = 0; round < rounds; round++) {
    const T = programs.pose(best), J = programs.jacobian(best);
    let error = sub(origin(goal), origin(T));
    const size = length(error), most = 0.2 * scene.size;
    if (size > most) error = times(most / size, error);
    const rows = J.slice(0, 3), wanted = [...error];
    if (stiffness > 0) {
      rows.push(...J.slice(3).map(row => row.map(x => stiffness * x)));
      wanted.push(...times(stiffness, turnBetween(T, goal)));
    }
    const free = best.map(() => 1);
    let step = best.map(() => 0);
    for (let pass = 0; pass < 3; pass++) {
      const damping = (1e-3 + 0.02 * Math.min(1, size / scene.size)) * scene.size ** 2;
      const A = rows.map((a, i) => rows.map((b, j) =>
        a.reduce((sum, x, k) => sum + free[k] * x * b[k], i === j ? damping : 0)));
      const y = solved(A, wanted);
      step = best.map((_, k) => free[k] * rows.reduce((sum, row, i) => sum + row[k] * y[i], 0));
      let stuck = false;
      step.forEach((x, k) => {
        const there = best[k] + x;
        if (free[k] && ((there < limits[k][0] && x < 0) || (there > limits[k][1] && x > 0))) {
          free[k] = 0;
          stuck = true;
        }
      });
      if (!stuck) break;
    }
    const largest = Math.max(...step.map(Math.abs), 1e-12), share = Math.min(1, 0.4 / largest);
    best = best.map((x, k) => x + share * step[k]);
    if (largest < 1e-9) break;
  }
  return best;
}
