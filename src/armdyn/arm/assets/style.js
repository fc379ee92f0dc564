// Colours of the style sheet, for what is drawn.

const rgb = text => {
  const digits = text.trim().replace("#", "");
  const pairs = digits.length < 6 ? [...digits].map(x => x + x) : digits.match(/../g);
  return [...pairs.slice(0, 3).map(pair => parseInt(pair, 16) / 255), 1];
};

const mixed = (a, b, share) => a.map((x, k) => (1 - share) * x + share * b[k]);

/** Colours as they are now: dark or light. */
function colours() {
  const sheet = getComputedStyle(document.documentElement), text = name => sheet.getPropertyValue(`--${name}`).trim();
  const joints = [0, 1, 2, 3, 4, 5, 6].map(k => rgb(text(`j${k}`)));
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const named = {};
  for (const name of ["ink", "soft", "line", "wash", "is", "said", "rest", "bad"]) named[name] = text(name);
  return {
    ...named, dark: rgb(text("deep")), link: rgb(text("body")), mass: rgb(text("mass")),
    joint: k => joints[k % joints.length],
    residual: share => mixed(rgb(text("deep")), rgb(text(share < 0 ? "rest" : "said")), Math.min(1, Math.abs(share))),
    bright: k => [...joints[k % joints.length].slice(0, 3).map(x => 0.55 * x + 0.45), 1],
    axes: [rgb("#d55e00"), rgb("#009e73"), rgb("#0072b2")],
    grid: [...rgb(text("grid")).slice(0, 3), dark ? 0.42 : 0.5],
    handle: rgb(text("said")), force: rgb(text("said")),
    ellipsoid: [...rgb(text("rest")).slice(0, 3), 0.22],
    isDark: dark,
  };
}
