// The mass matrix as a map of colours: orange is positive, blue negative, pale is small.

class MatrixMap {
  constructor(canvas, output, joints, resized) {
    this.canvas = canvas;
    this.output = output;
    this.joints = joints;
    this.M = null;
    this.size = sized(canvas, resized);
    canvas.addEventListener("pointermove", event => this.tell(event));
    canvas.addEventListener("pointerleave", () => { output.value = ""; });
  }

  draw(M, style) {
    this.M = M;
    const { canvas } = this, n = M.length, ratio = window.devicePixelRatio || 1;
    const size = Math.max(1, Math.round(this.size.width * ratio));
    if (canvas.width !== size) canvas.width = canvas.height = size;
    const pen = canvas.getContext("2d"), cell = size / n;
    const gap = n <= 12 ? ratio : 0;
    pen.clearRect(0, 0, size, size);
    const most = Math.max(...M.flat().map(Math.abs), 1e-300);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.font = `${Math.min(11 * ratio, 0.3 * cell)}px system-ui, sans-serif`;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        const share = Math.sqrt(Math.abs(M[i][j]) / most);
        pen.globalAlpha = 1;
        pen.fillStyle = style.wash;
        pen.fillRect(j * cell, i * cell, cell - gap, cell - gap);
        pen.globalAlpha = share;
        pen.fillStyle = M[i][j] < 0 ? style.rest : style.said;
        pen.fillRect(j * cell, i * cell, cell - gap, cell - gap);
        if (0.3 * cell >= 7.5 * ratio) {
          pen.globalAlpha = 1;
          pen.fillStyle = style.ink;
          pen.fillText(short(M[i][j]), (j + 0.5) * cell, (i + 0.5) * cell, 0.94 * cell);
        }
      }
    }
    pen.globalAlpha = 1;
  }

  tell(event) {
    if (!this.M) return;
    const box = this.canvas.getBoundingClientRect(), n = this.M.length;
    const i = clamp(Math.floor((event.clientY - box.top) / box.height * n), 0, n - 1);
    const j = clamp(Math.floor((event.clientX - box.left) / box.width * n), 0, n - 1);
    const turns = [i, j].filter(k => this.joints[k].revolute).length;
    const units = ["kg", "kg m", "kg m²"][turns];
    this.output.value = `M(${i + 1}, ${j + 1}) = ${rounded(this.M[i][j])} ${units}`;
  }
}

/** A number in at most four characters or so. */
function short(x) {
  const size = Math.abs(x);
  if (size < 0.0005) return "0";
  return fixed(x, size < 0.0995 ? 3 : size < 9.95 ? 2 : size < 99.5 ? 1 : 0).replace(/^(-?)0\./, "$1.");
}
