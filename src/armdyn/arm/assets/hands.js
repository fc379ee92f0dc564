// Pointers on the picture: turn, move and zoom the view, or take hold of the tip.

const NEAR = 26; // pixels from the handle that count as on it

class Hands {
  /** `on` has tip(), grab(), drag(point), release(), pick(x, y), changed(). */
  constructor(canvas, camera, on) {
    Object.assign(this, { canvas, camera, on });
    this.pointers = new Map();
    this.held = null;
    canvas.onpointerdown = event => this.down(event);
    canvas.onpointermove = event => this.move(event);
    canvas.onpointerup = canvas.onpointercancel = event => this.up(event);
    canvas.oncontextmenu = event => event.preventDefault();
    canvas.ondblclick = () => { camera.reset(); on.changed(); };
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      camera.zoom(Math.exp(0.0012 * clamp(event.deltaY, -200, 200)));
      on.changed();
    }, { passive: false });
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  isOnHandle([x, y]) {
    const seen = this.camera.project(this.on.tip());
    return seen !== null && Math.hypot(seen.x - x, seen.y - y) < NEAR;
  }

  down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    const at = this.place(event);
    this.pointers.set(event.pointerId, at);
    this.moved = 0;
    if (this.pointers.size > 1) this.letLoose();
    else if (event.button === 0 && !event.shiftKey && this.isOnHandle(at)) {
      this.held = this.on.tip();
      this.on.grab();
    }
  }

  move(event) {
    const at = this.place(event), before = this.pointers.get(event.pointerId);
    if (!before) {
      this.canvas.classList.toggle("handle", this.isOnHandle(at));
      return;
    }
    const dx = at[0] - before[0], dy = at[1] - before[1];
    this.moved += Math.abs(dx) + Math.abs(dy);
    if (this.pointers.size === 2) this.pinch(event.pointerId, at, dx, dy);
    else if (this.held) this.on.drag(this.camera.under(...at, this.held));
    else if (event.shiftKey || event.buttons & 6) this.camera.pan(dx, dy);
    else this.camera.turn(dx, dy);
    this.pointers.set(event.pointerId, at);
    this.on.changed();
  }

  /** Two fingers: their middle moves the view, their distance zooms. */
  pinch(id, at, dx, dy) {
    const [other] = [...this.pointers].filter(([key]) => key !== id).map(([, place]) => place);
    const before = this.pointers.get(id);
    const far = (a, b) => Math.max(20, Math.hypot(a[0] - b[0], a[1] - b[1]));
    this.camera.zoom(far(before, other) / far(at, other));
    this.camera.pan(dx / 2, dy / 2);
  }

  up(event) {
    if (this.pointers.delete(event.pointerId) && this.moved < 5 && !this.held) {
      this.on.pick(...this.place(event));
    }
    if (!this.pointers.size) this.letLoose();
  }

  letLoose() {
    if (this.held) this.on.release();
    this.held = null;
  }
}
