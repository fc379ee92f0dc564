// How long things take, and sizes of elements that are known without asking for a layout.

/** Milliseconds of the last frames: their median. */
class Pace {
  constructor(count = 60) {
    this.count = count;
    this.spent = [];
  }

  add(ms) {
    this.spent.push(ms);
    if (this.spent.length > this.count) this.spent.shift();
  }

  get median() { return [...this.spent].sort((a, b) => a - b)[this.spent.length >> 1] ?? 0; }
}

/** The size of an element, kept up to date: to ask for it among changes costs a layout each time. */
function sized(element, changed) {
  const size = { width: element.clientWidth, height: element.clientHeight };
  new ResizeObserver(() => {
    if (size.width === element.clientWidth && size.height === element.clientHeight) return;
    Object.assign(size, { width: element.clientWidth, height: element.clientHeight });
    changed();
  }).observe(element);
  return size;
}
