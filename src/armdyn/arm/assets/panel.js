// The column of numbers: a row a joint, with its slider and its torque against the weight.

const byId = id => document.getElementById(id);

function made(tag, name, ...inside) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...inside);
  return element;
}

/** A number without a minus sign before zeros. */
function fixed(x, digits) {
  const text = x.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
}

/** A number with about as many digits as tell something. */
function rounded(x, digits = 4) {
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return x.toExponential(2);
  return fixed(x, clamp(digits - 1 - Math.floor(Math.log10(size || 1)), 0, digits));
}

class Panel {
  constructor(scene, moved, chosen) {
    this.scene = scene;
    this.degrees = true;
    this.rows = scene.joints.map((joint, k) => {
      const [low, high] = range(joint);
      const name = made("span", "", made("bdi", "", joint.name)), dot = made("i");
      const who = made("button", "who", dot, name);
      who.type = "button";
      who.title = joint.name;
      who.onclick = () => chosen(k);
      const slider = made("input");
      Object.assign(slider, { type: "range", min: low, max: high, step: "any" });
      slider.setAttribute("aria-label", joint.name);
      slider.oninput = () => moved(k, Number(slider.value));
      const where = made("output", "where"), torque = made("output", "torque dynamics");
      const fill = made("b"), tick = made("u"), gauge = made("div", "gauge dynamics", fill, tick);
      gauge.title = joint.effort === null
        ? "The description has no effort limit: the bar ends at the largest torque of sampled poses."
        : `The bar ends at the effort limit, ${rounded(joint.effort)} ${joint.revolute ? "N m" : "N"}.`;
      const row = made("div", `row${joint.revolute ? "" : " slides"}`, who, slider, where, gauge, torque);
      row.style.setProperty("--hue", `var(--j${k % 7})`);
      byId("joints").append(row);
      return { row, slider, where, torque, fill, tick, gauge };
    });
  }

  /** Show a state: sliders and bars; `measured` are torques of a recording, or null. */
  show(q, gravity, measured) {
    this.rows.forEach(({ slider, fill, tick }, k) => {
      const joint = this.scene.joints[k];
      slider.value = q[k];
      if (!gravity) return;
      const share = gravity[k] / joint.scale;
      fill.style.left = `${50 + 50 * clamp(Math.min(share, 0), -1, 0)}%`;
      fill.style.width = `${50 * Math.min(1, Math.abs(share))}%`;
      tick.style.display = measured ? "block" : "none";
      if (measured) tick.style.left = `${50 + 50 * clamp(measured[k] / joint.scale, -1, 1)}%`;
    });
  }

  /** Show the same state in numbers. */
  tell(q, gravity, selected) {
    this.rows.forEach(({ row, where, torque }, k) => {
      const joint = this.scene.joints[k];
      where.value = this.position(joint, q[k]);
      row.classList.toggle("chosen", k === selected);
      row.classList.toggle("beyond", isBeyond(joint, q[k]));
      if (!gravity) return;
      torque.value = `${fixed(gravity[k], joint.digits)} ${joint.revolute ? "N m" : "N"}`;
      row.classList.toggle("over", joint.effort !== null && Math.abs(gravity[k]) > joint.effort);
    });
  }

  position(joint, x) {
    if (!joint.revolute) return `${fixed(x, 3)} m`;
    return this.degrees ? `${fixed(x * 180 / Math.PI, 1)}°` : `${fixed(x, 3)} rad`;
  }
}

const isBeyond = (joint, x) =>
  (joint.lower !== null && x < joint.lower - 1e-6) || (joint.upper !== null && x > joint.upper + 1e-6);

/** Ends of a slider: the limits, or a turn, or a metre each way. */
function range(joint) {
  const reach = joint.revolute ? Math.PI : 1;
  const low = joint.lower ?? Math.min(-reach, (joint.upper ?? 0) - reach);
  return [low, joint.upper ?? Math.max(reach, low + reach)];
}
