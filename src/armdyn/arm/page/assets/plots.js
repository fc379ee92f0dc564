// Curves of one joint over the recording, with a line at the present time. A click goes there.

class Plot {
  constructor(title, recording, seek) {
    this.recording = recording;
    this.title = made("span");
    this.title.append(...title);
    this.output = made("output");
    this.canvas = made("canvas");
    this.canvas.setAttribute("aria-label", this.title.textContent);
    this.figure = made("figure", "", made("figcaption", "", this.title, this.output), this.canvas);
    this.curves = [];
    this.still = document.createElement("canvas");
    const go = event => {
      const box = this.canvas.getBoundingClientRect();
      const share = clamp((event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT), 0, 1);
      seek(recording.start + share * (recording.end - recording.start));
    };
    this.canvas.onpointerdown = event => { this.canvas.setPointerCapture(event.pointerId); go(event); };
    this.canvas.onpointermove = event => { if (event.buttons) go(event); };
  }

  /** Curves to show: values, colour, width, and whether only where the model is known. */
  set(curves, unit, limits) {
    this.curves = curves;
    this.unit = unit;
    this.limits = limits;
    this.drawn = "";
  }

  draw(time, style) {
    const { canvas } = this, ratio = window.devicePixelRatio || 1;
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (!width || !height) return;
    const key = [width, height, style.ink].join();
    if (key !== this.drawn) {
      this.drawn = key;
      this.still.width = width;
      this.still.height = height;
      this.drawStill(width, height, ratio, style);
    }
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, width, height);
    pen.drawImage(this.still, 0, 0);
    const { start, end } = this.recording, across = width - (LEFT + RIGHT) * ratio;
    const x = LEFT * ratio + (end > start ? (time - start) / (end - start) : 0) * across;
    pen.fillStyle = style.ink;
    pen.fillRect(x - 0.75 * ratio, 0, 1.5 * ratio, height - FOOT * ratio);
    const said = this.curves.filter(c => !c.partly || this.recording.isPredicted(time))
      .map(c => rounded(this.recording.value(c.values, time), 3));
    this.output.value = said.length ? `${said.join(" / ")} ${this.unit}` : "";
  }

  drawStill(width, height, ratio, style) {
    const pen = this.still.getContext("2d"), { t, start, end } = this.recording;
    const left = LEFT * ratio, across = width - left - RIGHT * ratio, tall = height - FOOT * ratio;
    let low = Infinity, high = -Infinity;
    for (const { values, partly } of this.curves) {
      for (let k = 0; k < values.length; k++) {
        if (partly && !this.recording.isPredicted(t[k])) continue;
        if (values[k] < low) low = values[k];
        if (values[k] > high) high = values[k];
      }
    }
    if (!(low <= high)) [low, high] = [-1, 1];
    const room = Math.max(0.06 * (high - low), 1e-9 + 1e-6 * Math.max(Math.abs(low), Math.abs(high)));
    low -= room;
    high += room;
    const xOf = time => left + (end > start ? (time - start) / (end - start) : 0.5) * across;
    const yOf = value => tall * (high - value) / (high - low);
    pen.clearRect(0, 0, width, height);
    pen.fillStyle = style.wash;
    pen.fillRect(left, 0, across, tall);
    pen.font = `${10.5 * ratio}px system-ui, sans-serif`;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const value of marks(low, high, Math.max(2, Math.round(tall / ratio / 28)))) {
      pen.fillStyle = style.line;
      pen.fillRect(left, Math.round(yOf(value)), across, ratio);
      pen.fillStyle = style.soft;
      const y = clamp(yOf(value), 6 * ratio, tall - 5 * ratio);
      pen.fillText(String(Number(value.toPrecision(6))), left - 5 * ratio, y, left - 6 * ratio);
    }
    pen.textAlign = "center";
    for (const value of marks(start, end, Math.max(2, Math.round(across / ratio / 70)))) {
      pen.fillStyle = style.soft;
      pen.fillText(`${Number(value.toPrecision(6))}${"\u2009"}s`, clamp(xOf(value), left + 8 * ratio, width - 14 * ratio),
        height - 6 * ratio);
    }
    pen.setLineDash([5 * ratio, 4 * ratio]);
    pen.strokeStyle = style.bad;
    pen.lineWidth = ratio;
    for (const limit of this.limits) {
      if (limit === null || limit < low || limit > high) continue;
      pen.beginPath();
      pen.moveTo(left, yOf(limit));
      pen.lineTo(left + across, yOf(limit));
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.lineJoin = "round";
    for (const curve of this.curves) this.drawCurve(pen, curve, xOf, yOf, ratio);
  }

  /** A curve: of many samples in one column of pixels, the least and the largest. */
  drawCurve(pen, { values, colour, wide, partly }, xOf, yOf, ratio) {
    const { t } = this.recording;
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = wide * ratio;
    pen.beginPath();
    let last = null, isDrawing = false, least = 0, most = 0;
    const flush = () => {
      if (last === null) return;
      pen[isDrawing ? "lineTo" : "moveTo"](last, yOf(least));
      if (most !== least) pen.lineTo(last, yOf(most));
      isDrawing = true;
    };
    for (let k = 0; k < t.length; k++) {
      if (partly && !this.recording.isPredicted(t[k])) {
        flush();
        last = null;
        isDrawing = false;
        continue;
      }
      const x = Math.round(2 * xOf(t[k])) / 2;
      if (x !== last) {
        flush();
        last = x;
        least = most = values[k];
      } else {
        least = Math.min(least, values[k]);
        most = Math.max(most, values[k]);
      }
    }
    flush();
    pen.stroke();
    if (t.length === 1) pen.fillRect(xOf(t[0]) - 2 * ratio, yOf(values[0]) - 2 * ratio, 4 * ratio, 4 * ratio);
  }
}

const LEFT = 40, RIGHT = 2, FOOT = 15; // margins, in pixels

/** Round numbers between two ends. */
function marks(low, high, count) {
  if (!(high > low)) return [low];
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= 0.75 * rough);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) found.push(k * step);
  return found;
}
