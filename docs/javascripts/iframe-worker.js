// Search runs in a worker, and no browser starts one in a site that is opened from disk. There, a hidden frame
// does its work: it runs the same script, and messages go to and fro as events.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = `<script>postMessage = (data) => answered(data)</script>
        <script src="${new URL(address, location)}"></script>`;
      this.started = new Promise((resolve) => { this.frame.onload = resolve; });
      this.started.then(() => {
        this.inside.answered = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      });
      document.body.append(this.frame);
    }

    get inside() { return this.frame.contentWindow; }

    postMessage(data) {
      this.started.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
