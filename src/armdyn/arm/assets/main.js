// The page: one state, shown by the picture, the numbers and the plots.

const moments = { script: performance.now(), ready: 0, picture: 0 };
const page = JSON.parse(byId("data").textContent);
const { scene } = page, n = scene.joints.length;
const recording = page.recording && new Recording(page.recording, unpacked);
const fall = new Fall(scene, programs);
const first = recording ? recording.at(recording.start).q : scene.home;
const state = {
  q: [...first], qd: Array(n).fill(0), time: recording ? recording.start : 0, isPlaying: false, isFree: false,
  isOnRecording: Boolean(recording), selected: 0, goal: null, force: null, first: null, late: 0,
};
const root = document.documentElement;
root.classList.toggle("still", !programs.gravity);
root.classList.toggle("silent", !recording);
root.classList.toggle("playing-page", Boolean(recording));
byId("name").textContent = scene.name;
byId("about").textContent = page.about;
for (const note of page.notes) {
  const line = made("li", "", note);
  line.title = "Click to hide it.";
  line.onclick = () => line.remove();
  byId("notes").append(line);
}

const canvas = byId("view"), stage = sized(canvas, refreshSoon), camera = new Camera(scene.up, scene.centre, scene.size), pieces = new Pieces(scene);
let drawer;
Object.assign(canvas, { width: stage.width || 300, height: stage.height || 150 }); // before its buffers are made
try { drawer = new WebGL(canvas, n > 60 ? 8 : 32); } catch { drawer = new Lines(canvas); }
let style = colours(), isStale = true, isResized = false;
const paces = { computing: new Pace(), drawing: new Pace(), between: new Pace() };
const panel = new Panel(scene, moveJoint, choose);
const map = new MatrixMap(byId("matrix"), byId("entry"), scene.joints, refreshSoon);
const meshes = new Meshes(page.meshes, drawer);
root.classList.toggle("meshed", meshes.given.length > 0);
const isCompared = Boolean(recording && recording.tau && recording.predicted);
const show = {
  meshes: true, links: true, boxes: false, masses: false, frames: false, ellipsoid: true,
  residuals: isCompared && page.recording.marks,
};
root.classList.toggle("alone", !isCompared);
const moving = () => state.isFree || (recording && state.isOnRecording && state.isPlaying);

// -- what changes the state -------------------------------------------------------------------

function setState(q, qd = null) {
  state.q = [...q];
  state.qd = qd ? [...qd] : Array(n).fill(0);
  isStale = true;
}

function moveJoint(k, value) {
  stopAll();
  const q = [...state.q];
  q[k] = value;
  setState(q);
  choose(k);
  refresh();
}

function stopAll() {
  hold();
  pause();
  state.isOnRecording = false;
}

function choose(k) {
  state.selected = clamp(k, 0, n - 1);
  byId("joint").value = String(state.selected);
  setPlots();
  isStale = true;
}

function letGo() {
  if (!fall.possible || state.isFree) return;
  pause();
  if (!state.isOnRecording) state.qd = Array(n).fill(0);
  state.isOnRecording = false;
  state.isFree = true;
  state.late = 0;
  fall.held.fill(0);
  state.first = energies().total;
  refresh();
}

function hold() {
  if (!state.isFree) return;
  state.isFree = false;
  state.qd.fill(0);
  state.force = null;
  refresh();
}

/** Let the arm fall for a time, and return at the end of it. */
function advance(seconds) {
  const steps = Math.round(seconds / STEP), pushed = state.force && programs.jacobian;
  for (let k = 0; k < steps; k++) {
    let tau = fall.zero;
    if (pushed) {
      const J = programs.jacobian(state.q), tip = origin(programs.pose(state.q));
      const speed = J.slice(0, 3).map(row => row.reduce((sum, x, j) => sum + x * state.qd[j], 0));
      const F = sub(times(scene.spring, sub(state.force, tip)), times(0.12 * scene.spring, speed));
      tau = state.q.map((_, j) => F[0] * J[0][j] + F[1] * J[1][j] + F[2] * J[2][j]);
    }
    [state.q, state.qd] = fall.step(state.q, state.qd, tau);
  }
  if (!state.q.every(Number.isFinite)) reset();
  isStale = true;
}

function seek(time) {
  if (!recording) return;
  hold();
  goTo(Number(time));
  refresh();
}

function goTo(time) {
  state.isOnRecording = true;
  state.time = clamp(time, recording.start, recording.end);
  const { q, qd } = recording.at(state.time);
  setState(q, qd);
}

function play() {
  if (!recording || !(recording.end > recording.start)) return;
  if (state.time >= recording.end || !state.isOnRecording) seek(state.time >= recording.end ? recording.start : state.time);
  state.isPlaying = true;
  state.late = 0;
  refresh();
}

function pause() {
  state.isPlaying = false;
  if (recording) byId("play").textContent = "Play";
}

function reset() {
  hold();
  pause();
  camera.reset();
  state.goal = state.force = null;
  if (recording) seek(recording.start);
  else setState(scene.home);
  refresh();
}

// -- what shows it ----------------------------------------------------------------------------

/** Draw the arm; return the milliseconds that its drawing took. */
function paint() {
  camera.width = Math.max(1, stage.width);
  camera.height = Math.max(1, stage.height);
  const frames = framesAt(scene, state.q), tip = origin(frames[n + 1]);
  const residuals = show.residuals && state.isOnRecording ? recording.residuals(state.time) : null;
  byId("legend").hidden = !residuals;
  const found = pieces.at(frames, style, { ...show, selected: state.selected, residuals }, meshes);
  found.push(pieces.ball(tip, 0.021 * scene.size, style.handle, false));
  found.push(pieces.ball(tip, 0.034 * scene.size, [...style.handle.slice(0, 3), 0.28], false));
  const ease = show.ellipsoid && mobility();
  if (ease) found.push(pieces.ellipsoid(tip, ease, style.ellipsoid));
  if (state.force) found.push(...pieces.arrow(tip, sub(state.force, tip), 0.008 * scene.size, style.force));
  if (trail.length) found.push({ ...pieces.ball([0, 0, 0], 1, [...style.handle.slice(0, 3), 0.75], false), solid: "dots" });
  const begin = performance.now();
  drawer.draw(found, camera, {
    up: scene.up, ahead: camera.ahead, aside: camera.aside, ground: dot(scene.floor, scene.up),
    sun: unit(add(scene.up, add(times(0.45, camera.ahead), times(-0.35, camera.aside)))),
    reach: 3.2 * scene.size, cell: scene.cell, grid: style.grid, dim: style.isDark ? 0.9 : 1.08,
    shadow: style.isDark ? 0.34 : 0.17,
  });
  return performance.now() - begin;
}

// The way of the tip through the recording, as dots.
let trail = [];
function showTrail() {
  trail = recording && n <= 60 ? tipsOf(recording) : [];
  if (trail.length) drawer.dots(trail, scene.up);
  isStale = true;
}
function tipsOf(run) {
  const count = Math.min(900, run.t.length), found = [];
  for (let k = 0; k < count; k++) {
    const at = run.start + (run.end - run.start) * k / Math.max(count - 1, 1);
    found.push(origin(framesAt(scene, run.at(at).q)[n + 1]));
  }
  return found;
}

// -- plots ------------------------------------------------------------------------------------

const plots = [];
function setPlots() {
  if (!recording) return;
  const k = state.selected, joint = scene.joints[k], turns = joint.revolute;
  const factor = turns && panel.degrees ? 180 / Math.PI : 1, angle = turns ? (panel.degrees ? "°" : "rad") : "m";
  const scaled = values => factor === 1 ? values : values.map(x => factor * x);
  const line = (values, colour, wide = 1.6, partly = false) => ({ values, colour, wide, partly });
  const limit = x => x === null ? null : factor * x, hue = style.rest, effort = turns ? "N m" : "N";
  plots[0].set([line(scaled(recording.q[k]), hue)], angle, [limit(joint.lower), limit(joint.upper)]);
  plots[1].set([line(scaled(recording.qd[k]), hue)], `${angle}/s`,
    joint.velocity === null ? [] : [limit(-joint.velocity), limit(joint.velocity)]);
  const measured = recording.tau && line(recording.tau[k], style.is, 2.6);
  const said = recording.predicted && line(recording.predicted[k], style.said, 1.4, true);
  plots[2].set([measured, said].filter(Boolean), effort, joint.effort === null ? [] : [-joint.effort, joint.effort]);
  const rest = measured && said ? measured.values.map((x, i) => x - said.values[i]) : null;
  plots[3].set(rest ? [line(rest, hue, 1.2, true)] : [], effort, []);
}

if (recording) {
  const is = made("em", "is", "measured"), said = made("em", "said", "model");
  const torque = ["torque: ", ...(recording.tau ? [is] : []), isCompared ? ", " : "", ...(recording.predicted ? [said] : [])];
  for (const title of [["position"], ["velocity"], torque, ["residual torque"]]) {
    const plot = new Plot(title, recording, time => { pause(); seek(time); }, refreshSoon);
    plots.push(plot);
    byId("plots").append(plot.figure);
  }
  byId("player").hidden = false;
  Object.assign(byId("scrub"), { min: recording.start, max: recording.end });
  byId("scrub").oninput = () => { pause(); seek(byId("scrub").value); };
  byId("play").onclick = () => { if (state.isPlaying) { pause(); refresh(); } else play(); };
  byId("joint").append(...scene.joints.map((joint, k) => new Option(joint.name, k)));
  byId("joint").onchange = () => { choose(Number(byId("joint").value)); refresh(); };
}

// -- hands and keys ---------------------------------------------------------------------------

// With fewer than six joints the tip cannot keep its direction.
const stiffness = n >= 6 ? 0.12 * scene.size : 0;
new Hands(canvas, camera, {
  tip: () => origin(framesAt(scene, state.q)[n + 1]),
  grab() { if (!state.isFree) stopAll(); state.goal = programs.pose ? programs.pose(state.q) : null; },
  drag(point) {
    if (state.isFree) state.force = point;
    else if (state.goal && programs.jacobian) {
      state.goal = state.goal.map((row, i) => i < 3 ? [...row.slice(0, 3), point[i]] : row);
      setState(reached(scene, programs, state.q, state.goal, stiffness));
      refresh();
    }
  },
  release() { state.goal = state.force = null; isStale = true; },
  pick(x, y) {
    const frames = framesAt(scene, state.q);
    scene.joints.forEach((joint, k) => {
      const seen = camera.project(placed(frames[k + 1], joint.anchor));
      if (seen && Math.hypot(seen.x - x, seen.y - y) < 14) choose(k);
    });
    refresh();
  },
  changed() { isStale = true; },
});

byId("go").onclick = () => { if (state.isFree) hold(); else letGo(); };
byId("go").disabled = !fall.possible;
if (!fall.possible) byId("go").title = "The dynamics of this arm are not in the page.";
byId("reset").onclick = reset;
byId("friction").onchange = () => { fall.friction = byId("friction").checked; };
byId("degrees").onchange = () => { panel.degrees = byId("degrees").checked; setPlots(); refresh(); };
for (const what of Object.keys(show)) {
  byId(`show-${what}`).checked = show[what];
  byId(`show-${what}`).onchange = event => { show[what] = event.target.checked; isStale = true; };
}
addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target instanceof HTMLInputElement && event.target.type === "range";
  const isArrow = event.key.startsWith("Arrow");
  if (event.target instanceof HTMLSelectElement || (isTyping && isArrow)) return;
  const [low, high] = range(scene.joints[state.selected]), nudge = (high - low) / (event.shiftKey ? 20 : 100);
  const sideways = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (event.key === "l" || event.key === "L") byId("go").click();
  else if (event.key === "r" || event.key === "R") reset();
  else if (event.key === "f" || event.key === "F") byId("friction").click();
  else if (event.key === " " && recording && event.target.tagName !== "BUTTON") byId("play").click();
  else if (event.key === "ArrowUp") { choose(state.selected - 1); refresh(); }
  else if (event.key === "ArrowDown") { choose(state.selected + 1); refresh(); }
  else if (sideways && recording && state.isOnRecording) {
    pause();
    seek(state.time + sideways * (recording.end - recording.start) / (event.shiftKey ? 20 : 200));
  } else if (sideways) {
    const joint = scene.joints[state.selected], x = state.q[state.selected] + sideways * nudge;
    moveJoint(state.selected, clamp(x, joint.lower ?? -Infinity, joint.upper ?? Infinity));
  } else return;
  event.preventDefault();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  style = colours();
  setPlots();
  refresh();
});
// -- time -------------------------------------------------------------------------------------

function tick(now) {
  const begin = performance.now(), passed = (now - (tick.last ?? now)) / 1000;
  tick.last = now;
  if (state.isFree) {
    state.late += Math.min(0.05, passed); // a slow machine makes up for no more
    const whole = STEP * Math.floor(state.late / STEP);
    state.late -= whole;
    advance(whole);
  } else if (state.isPlaying) {
    goTo(state.time + Math.min(0.5, passed) * Number(byId("speed").value));
    if (state.time >= recording.end) { pause(); refresh(); }
  }
  if (isResized) refresh();
  if (isStale && drawer.isReady) {
    if (moving()) showMoving(now);
    const drawing = paint();
    isStale = moving();
    paces.computing.add(performance.now() - begin - drawing);
    paces.drawing.add(drawing);
    paces.between.add(now - (tick.painted ?? now));
    tick.painted = now;
    if (!moments.picture) {
      moments.picture = performance.now();
      setTimeout(showTrail);
    }
  }
  requestAnimationFrame(tick);
}

function checkedState(values) {
  const q = Array.from(values, Number);
  if (q.length !== n) throw new RangeError(`q has ${q.length} numbers, expected ${n}`);
  if (!q.every(Number.isFinite)) throw new RangeError("q has a number that is not finite");
  return q;
}

window.armdyn = {
  ...programs,
  name: scene.name,
  n,
  joints: scene.joints.map(joint => joint.name),
  get q() { return [...state.q]; },
  get qd() { return [...state.qd]; },
  set(q) { const checked = checkedState(q); stopAll(); setState(checked); refresh(); },
  get time() { return state.time; },
  get duration() { return recording ? recording.end - recording.start : 0; },
  get isPlaying() { return state.isPlaying; },
  seek, play,
  pause() { pause(); refresh(); },
  letGo, hold, reset,
  /** Let the arm fall for some seconds at once. */
  fall(seconds) { letGo(); advance(seconds); refresh(); },
  set hasFriction(isOn) { byId("friction").checked = fall.friction = Boolean(isOn); },
  get hasFriction() { return fall.friction; },
  get energy() { return energies(); },
  /** Placements of all frames, and the pixel of the tip. */
  frames: () => framesAt(scene, state.q),
  get tipPixel() {
    const seen = camera.project(origin(framesAt(scene, state.q)[n + 1])), box = canvas.getBoundingClientRect();
    return [box.left + seen.x, box.top + seen.y];
  },
  /** Milliseconds: when it was ready and first drawn, and what a frame takes, the median of the last ones. */
  get times() {
    const { computing, drawing, between } = paces;
    return { ...moments, computing: computing.median, drawing: drawing.median, between: between.median };
  },
};
choose(0);
refresh();
moments.ready = performance.now();
window.armdyn.ready = Promise.resolve();
requestAnimationFrame(tick);
