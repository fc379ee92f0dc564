// What tells the state in numbers: some in every frame, some more slowly.

function energies() {
  if (!programs.kinetic_energy) return { kinetic: 0, potential: 0, total: 0 };
  const kinetic = programs.kinetic_energy(state.q, state.qd), potential = programs.potential_energy(state.q);
  return { kinetic, potential, total: kinetic + potential };
}

/** How a force at the tip accelerates it: J M^-1 J^T of the linear part. */
function mobility() {
  if (!programs.inverse_mass_matrix || !programs.jacobian) return null;
  const A = programs.inverse_mass_matrix(state.q), J = programs.jacobian(state.q).slice(0, 3);
  const B = J.map(row => A.map(a => a.reduce((sum, x, k) => sum + x * row[k], 0)));
  return J.map(row => B.map(b => b.reduce((sum, x, k) => sum + x * row[k], 0)));
}

/** Everything that tells the state, now. */
function refresh() {
  isStale = true;
  isResized = false;
  for (const plot of plots) plot.draw(style);
  showState();
  for (const part of SLOWLY) part();
}

/** The same in the next frame, once for all elements that have changed their size. */
function refreshSoon() { isResized = true; }

/** What moves with the arm, in every frame. */
function showState() {
  const gravity = programs.gravity ? programs.gravity(state.q) : null;
  const isMeasured = recording && state.isOnRecording && recording.tau;
  panel.show(state.q, gravity, isMeasured ? recording.tau.map(x => recording.value(x, state.time)) : null);
  if (!recording) return;
  byId("scrub").value = state.time;
  for (const plot of plots) plot.point(state.time);
}

// What nobody reads while it moves: each in turn, ten times a second.
const EVERY = 100;
const SLOWLY = [tellJoints, tellNumbers, tellMatrix];

function tellJoints() {
  panel.tell(state.q, programs.gravity ? programs.gravity(state.q) : null, state.selected);
  if (!recording) return;
  byId("play").textContent = state.isPlaying ? "Pause" : "Play";
  byId("time").textContent = `${fixed(state.time, 2)} / ${fixed(recording.end, 2)} s`;
  for (const plot of plots) plot.tell(state.time);
}

function tellMatrix() {
  if (programs.gravity && programs.mass_matrix) map.draw(programs.mass_matrix(state.q), style);
}

function tellNumbers() {
  if (programs.gravity) {
    const { kinetic, potential, total } = energies();
    byId("kinetic").textContent = `${rounded(kinetic)} J`;
    byId("potential").textContent = `${rounded(potential)} J`;
    const change = state.isFree ? ` (${total >= state.first ? "+" : ""}${(total - state.first).toPrecision(2)})` : "";
    byId("total").textContent = `${rounded(total)} J${change}`;
  }
  const tip = origin(framesAt(scene, state.q)[n + 1]);
  byId("tip").textContent = `${tip.map(x => fixed(x, 3)).join(", ")} m`;
  const found = mobility();
  if (found) {
    const values = eigen(found).values.map(x => 1 / x).filter(x => x > 0 && x < 1e5).sort((a, b) => a - b);
    byId("felt").textContent = values.length ? `${rounded(values[0], 3)} to ${rounded(values[values.length - 1], 3)} kg` : "";
  }
  byId("go").textContent = state.isFree ? "Hold" : "Let go";
  byId("go").classList.toggle("on", state.isFree);
  byId("state").textContent = state.isFree ? "falling" : state.isOnRecording ? "" : recording ? "off the recording" : "";
}

function showMoving(now) {
  showState();
  if (now - (showMoving.last ?? 0) < EVERY / SLOWLY.length) return;
  showMoving.last = now;
  showMoving.turn = ((showMoving.turn ?? 0) + 1) % SLOWLY.length;
  SLOWLY[showMoving.turn]();
}
