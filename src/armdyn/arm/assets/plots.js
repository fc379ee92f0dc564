// Curves of one joint over the recording, with a line at the present time. A click goes there.

class Plot {
  constructor(title, recording, seek, resized) {
    this.recording = recording;
    this.title = made("span");
    this.title.append(...title);
    this.output = made("output");
    this.canvas = made("canvas");
    this.canvas.setAttribute("aria-label", this.title.textContent);
    this.now = made("i", "now");
    const curve = made("div", "curve", this.canvas, this.now);
    this.figure = made("figure", "", made("figcaption", "", this.title, this.output), curve);
    this.curves = [];
    const go = event => {
      const box = this.canvas.getBoundingClientRect();
      const share = clamp((event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT), 0, 1);
      seek(recording.start + share * (recording.end - recording.start));
    };
    this.canvas.onpointerdown = event => { this.canvas.setPointerCapture(event.pointerId); go(event); };
    this.canvas.onpointermove = event => { if (event.buttons) go(event); };
    this.size = sized(this.canvas, resized);
  }

  /** Curves to show: values, colour, width, and whether only where the model is known. */
  set(curves, unit, limits) {
    this.curves = curves;
    this.unit = unit;
    this.limits = limits;
    this.drawn = "";
  }

  /** Draw the curves, unless they are there; return whether it was drawn. */
  draw(style) {
    const { canvas } = this, ratio = window.devicePixelRatio || 1;
    const width = Math.round(this.size.width * ratio), height = Math.round(this.size.height * ratio);
    const key = [width, height, style.ink].join();
    if (!width || !height || key === this.drawn) return false;
    this.drawn = key;
    canvas.width = width;
    canvas.height = height;
    this.drawStill(width, height, ratio, style);
    return true;
  }

  /** Put the line at a time: it is an element of its own, so that nothing is drawn again. */
  point(time) {
    const { start, end } = this.recording, across = this.size.width - LEFT - RIGHT;
    const x = LEFT + (end > start ? (time - start) / (end - start) : 0) * across;
    this.now.style.transform = `translateX(${x.toFixed(1)}px)`;
  }

  /** Tell the values at a time. */
  tell(time) {
    const said = this.curves.filter(c => !c.partly || this.recording.isPredicted(time))
      .map(c => this.recording.value(c.values, time)).map(x => rounded(Math.abs(x) < ROUNDING ? 0 : x, 3));
    this.output.value = said.length ? `${said.join(" / ")} ${this.unit}` : "";
  }

  drawStill(width, height, ratio, style) {
    const pen = this.canvas.getContext("2d"), { start, end, known } = this.recording;
    const left = LEFT * ratio, across = width - left - RIGHT * ratio, tall = height - FOOT * ratio;
    let low = Infinity, high = -Infinity;
    for (const { values, partly } of this.curves) {
      for (let k = 0; k < values.length; k++) {
        if (partly && !known[k]) continue;
        if (values[k] < low) low = values[k];
        if (values[k] > high) high = values[k];
      }
    }
    if (!(low <= high)) [low, high] = [-1, 1];
    const size = Math.max(Math.abs(low), Math.abs(high)), isLevel = high - low < ROUNDING + 1e-6 * size;
    const room = !isLevel ? 0.06 * (high - low) : size > ROUNDING ? 0.1 * size : 1;
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
    const { t, known } = this.recording;
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
      if (partly && !known[k]) {
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
const ROUNDING = 1e-8; // smaller numbers are 0, but for rounding

/** Round numbers between two ends. */
function marks(low, high, count) {
  if (!(high > low)) return [low];
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= 0.75 * rough);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) found.push(k * step);
  return found;
}
