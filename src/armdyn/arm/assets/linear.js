// Vectors and matrices. A vector is an array, a matrix an array of rows, a placement has rows of four.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (s, a) => [s * a[0], s * a[1], s * a[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
];
const length = a => Math.hypot(a[0], a[1], a[2]);
const unit = a => times(1 / length(a), a);
const clamp = (x, low, high) => Math.max(low, Math.min(high, x));

/** A direction across another one. */
const across = a => unit(cross(a, Math.abs(a[0]) < 0.7 * length(a) ? [1, 0, 0] : [0, 1, 0]));

/** A point of a frame, and a direction of it, in the axes in which the frame is placed. */
const placed = (T, p) => T.slice(0, 3).map(row => dot(row, p) + row[3]);
const turned = (T, v) => T.slice(0, 3).map(row => dot(row, v));
const origin = T => [T[0][3], T[1][3], T[2][3]];
const column = (T, k) => [T[0][k], T[1][k], T[2][k]];

/** The placement A, then B. */
function composed(A, B) {
  const C = [];
  for (let i = 0; i < 3; i++) {
    const a = A[i], row = [0, 0, 0, a[3]];
    for (let j = 0; j < 4; j++) row[j] += a[0] * B[0][j] + a[1] * B[1][j] + a[2] * B[2][j];
    C.push(row);
  }
  return C;
}

/** The rotation with these columns. */
const columns = (x, y, z) => [0, 1, 2].map(i => [x[i], y[i], z[i]]);

/** A rotation whose z points along a direction. */
function alongZ(direction) {
  const z = unit(direction), x = across(z);
  return columns(x, cross(z, x), z);
}

/** Solve A x = b by elimination; A is small and not singular. */
function solved(A, b) {
  const rows = A.map((row, i) => [...row, b[i]]), n = rows.length;
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) best = i;
    [rows[k], rows[best]] = [rows[best], rows[k]];
    for (let i = k + 1; i < n; i++) {
      const factor = rows[i][k] / rows[k][k];
      for (let j = k; j <= n; j++) rows[i][j] -= factor * rows[k][j];
    }
  }
  for (let k = n - 1; k >= 0; k--) {
    for (let j = k + 1; j < n; j++) rows[k][n] -= rows[k][j] * rows[j][n];
    rows[k][n] /= rows[k][k];
  }
  return rows.map(row => row[n]);
}

/** Eigenvalues and eigenvectors (columns) of a symmetric 3x3 matrix, by Jacobi's rotations. */
function eigen(S) {
  const A = S.map(row => [...row]), V = columns([1, 0, 0], [0, 1, 0], [0, 0, 1]);
  for (let sweep = 0; sweep < 12; sweep++) {
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (Math.abs(A[p][q]) < 1e-300) continue;
      const angle = 0.5 * Math.atan2(2 * A[p][q], A[q][q] - A[p][p]);
      const c = Math.cos(angle), s = Math.sin(angle);
      for (const M of [A, V]) {
        for (const row of M) [row[p], row[q]] = [c * row[p] - s * row[q], s * row[p] + c * row[q]];
      }
      for (let j = 0; j < 3; j++) {
        [A[p][j], A[q][j]] = [c * A[p][j] - s * A[q][j], s * A[p][j] + c * A[q][j]];
      }
    }
  }
  return { values: [A[0][0], A[1][1], A[2][2]], vectors: V };
}
