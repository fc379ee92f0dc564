"""The script of pages: it zooms drawings, draws what is visible in full, and reads off values.

It expects `packed`, the numbers of the page (`Packed.script`).
"""

from armdyn.present.html import UNPACK

SCRIPT = (
    '"use strict";\n'
    + UNPACK
    + r"""
const all = [...document.querySelectorAll("svg.curves")], view = {}, columns = [];
const POINTS = 1600, ACROSS = 20000, DOWN = 1000;
const said = x => String(+x.toPrecision(6)).replace("-", "\u2212");
const step = size => { const p = 10 ** Math.floor(Math.log10(size));
  return [1, 2, 5, 10].map(m => m * p).find(s => s >= 0.7 * size); };
const place = (svg, event) => { const box = svg.getBoundingClientRect();
  const x = (event.clientX - box.left) * svg.viewBox.baseVal.width / box.width;
  return Math.min(1, Math.max(0, (x - svg.dataset.left) / svg.dataset.wide)); };
const now = svg => view[svg.dataset.group] || [0, 1];
const column = k => columns[k] ??= unpacked(packed[k]);
function first(x, value) {
  let a = 0, b = x.length;
  while (a < b) { const m = (a + b) >> 1; if (x[m] < value) a = m + 1; else b = m; }
  return a;
}
function samples(line, d, p) {
  if (line.dataset.y !== undefined) return [column(line.dataset.x), column(line.dataset.y)];
  if (!line.samples) {
    const [low, high] = [+p.dataset.low, +p.dataset.high], x = [], y = [];
    for (const pair of line.getAttribute("points").split(" ")) {
      const [a, b] = pair.split(",");
      x.push(+d.start + (d.end - d.start) * a / ACROSS); y.push(high - (high - low) * b / DOWN);
    }
    line.samples = [x, y];
  }
  return line.samples;
}
function shown(x, y, low, high) {
  const a = Math.max(first(x, low) - 1, 0), b = Math.min(first(x, high) + 1, x.length);
  const picked = [];
  if (b - a <= POINTS) { for (let i = a; i < b; i++) picked.push(i); return picked; }
  for (let k = 0; k < POINTS / 2; k++) {
    const from = a + Math.floor((b - a) * k / (POINTS / 2));
    const to = a + Math.floor((b - a) * (k + 1) / (POINTS / 2));
    let least = from, most = from;
    for (let i = from; i < to; i++) {
      if (y[i] < y[least]) least = i;
      if (y[i] > y[most]) most = i;
    }
    picked.push(Math.min(least, most)); if (least !== most) picked.push(Math.max(least, most));
  }
  return picked;
}
function ticks(group, values, at) {
  group.textContent = "";
  for (const value of values) {
    const t = document.createElementNS(group.namespaceURI, "text"), [x, y] = at(value);
    t.setAttribute("x", x); t.setAttribute("y", y); t.textContent = said(value); group.append(t);
  }
}
function between(low, high, count) {
  const s = step((high - low) / count), found = [];
  for (let k = Math.ceil(low / s); k * s <= high; k++) found.push(k * s);
  return found;
}
function draw(svg, a, b) {
  const d = svg.dataset, length = d.end - d.start;
  const from = +d.start + a * length, to = +d.start + b * length, whole = a === 0 && b === 1;
  const sides = svg.querySelectorAll("g.left");
  svg.querySelectorAll("svg.panel").forEach((p, k) => {
    const low = +p.dataset.low, high = +p.dataset.high;
    let least = Infinity, most = -Infinity;
    for (const line of p.querySelectorAll("polyline")) {
      const [x, y] = samples(line, d, p), points = [];
      for (const i of shown(x, y, from, to)) {
        if (x[i] >= from && x[i] <= to) {
          least = Math.min(least, y[i]);
          most = Math.max(most, y[i]);
        }
        points.push(`${((x[i] - d.start) / length * ACROSS).toFixed(2)},` +
          `${((high - y[i]) / (high - low) * DOWN).toFixed(2)}`);
      }
      line.setAttribute("points", points.join(" "));
    }
    const margin = 0.06 * (most - least);
    const [bottom, top] = whole || !(most > least) ? [low, high] : [least - margin, most + margin];
    const up = (high - top) / (high - low) * DOWN, tall = (top - bottom) / (high - low) * DOWN;
    p.setAttribute("viewBox", `${a * ACROSS} ${up} ${(b - a) * ACROSS} ${tall}`);
    const box = [+p.getAttribute("y"), +p.getAttribute("height")];
    ticks(sides[k], between(bottom, top, Math.max(Math.round(box[1] / 30), 3)),
      v => [d.left - 6, box[0] + box[1] * (top - v) / (top - bottom) + 3.5]);
  });
  ticks(svg.querySelector(".below"), between(from, to, 10),
    v => [+d.left + d.wide * (v - from) / (to - from), d.foot]);
}
function show(group, a, b) {
  view[group] = [a, b];
  for (const svg of all) if (svg.dataset.group === group) draw(svg, a, b);
}
function told(svg, t) {
  const words = [];
  for (const p of svg.querySelectorAll("svg.panel")) {
    const best = {};
    for (const line of p.querySelectorAll("polyline")) {
      const [x, y] = samples(line, svg.dataset, p), k = first(x, t), name = line.dataset.name;
      for (const i of [k - 1, k]) {
        const off = Math.abs(x[i] - t), nearer = !best[name] || off < Math.abs(best[name][0] - t);
        if (i >= 0 && i < x.length && nearer) best[name] = [x[i], y[i]];
      }
    }
    const each = Object.entries(best).map(([name, [, y]]) =>
      `${name} ${String(+y.toPrecision(4)).replace("-", "\u2212")}`);
    words.push(`${each.join(", ")} ${p.dataset.unit}`);
  }
  return `${t.toFixed(3)} s: ${words.join("; ")}`;
}
for (const svg of all) {
  let from = null;
  const pointer = svg.querySelector(".pointer"), chosen = svg.querySelector(".chosen");
  const output = svg.parentNode.querySelector("output");
  svg.addEventListener("pointerdown", e => { from = place(svg, e); e.preventDefault(); });
  svg.addEventListener("pointerup", e => {
    const to = place(svg, e), [a, b] = now(svg);
    if (from !== null && Math.abs(to - from) > 0.01) {
      const ends = [from, to].sort((p, q) => p - q).map(s => a + s * (b - a));
      show(svg.dataset.group, ...ends);
    }
    from = null; chosen.setAttribute("width", 0);
  });
  svg.addEventListener("dblclick", () => show(svg.dataset.group, 0, 1));
  svg.addEventListener("pointerleave", () => {
    pointer.style.opacity = 0; output.textContent = "";
    from = null; chosen.setAttribute("width", 0);
  });
  svg.addEventListener("pointermove", e => {
    const s = place(svg, e), [a, b] = now(svg), d = svg.dataset, at = +d.left + s * d.wide;
    pointer.setAttribute("x1", at); pointer.setAttribute("x2", at); pointer.style.opacity = 0.6;
    if (from !== null) {
      chosen.setAttribute("x", +d.left + d.wide * Math.min(s, from));
      chosen.setAttribute("width", d.wide * Math.abs(s - from));
    }
    output.textContent = told(svg, +d.start + (d.end - d.start) * (a + s * (b - a)));
  });
}
for (const svg of document.querySelectorAll("svg.heat")) {
  const names = JSON.parse(svg.dataset.names), output = svg.parentNode.querySelector("output");
  svg.addEventListener("pointermove", e => {
    const box = svg.getBoundingClientRect(), size = svg.viewBox.baseVal.width / box.width;
    const at = v => Math.floor((v * size - svg.dataset.left) / svg.dataset.cell);
    const i = at(e.clientY - box.top), j = at(e.clientX - box.left), p = names.length;
    const inside = i >= 0 && j >= 0 && i < p && j < p;
    output.textContent = inside
      ? `${names[i]}, ${names[j]}: ${column(svg.dataset.values)[i * p + j].toFixed(2)}` : "";
  });
  svg.addEventListener("pointerleave", () => { output.textContent = ""; });
}
"""
)
