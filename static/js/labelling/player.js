/**
 * The clip's sound, where the caption says where it is on this site: play and pause, from the
 * start, move in it, repeat. A slider and the time in words beside it show where it is.
 */
// In seconds: by keys, and by page keys on the slider.
const STEP = 1;
const LEAP = 5;

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

export class Player {
  constructor(root) {
    const part = (name) => root.querySelector(`[data-part="${name}"]`);
    [this.panel, this.audio, this.slider, this.time, this.fault, this.playName] = [
      "player", "audio", "seek", "time", "sound-fault", "play-name",
    ].map(part);
    this.loopButton = root.querySelector("[data-do=loop]");
    ["timeupdate", "durationchange", "seeked", "play", "pause", "ended", "emptied", "error"]
      .forEach((event) => this.audio.addEventListener(event, () => this.#show()));
    this.slider.addEventListener("input", () => this.#moveTo(Number(this.slider.value)));
    this.slider.addEventListener("keydown", (event) => this.#pressed(event));
    this.#show();
  }

  /** Have the sound of a task wait at its start; of the same task it stays as it is. */
  load(task) {
    const address = ownAddress(task?.meta?.audio);
    this.panel.hidden = !address;
    if (address === this.address && task?.id === this.task) return;
    // The same sound of another task begins anew: what of it was heard was heard for the other.
    Object.assign(this, { address, task: task?.id });
    if (address) this.audio.src = address;
    else this.audio.removeAttribute("src");
  }

  stop() { this.audio.pause(); }

  /** Play where it stands, or pause; what is over plays again from its start. */
  toggle() {
    if (!this.address) return;
    if (this.audio.paused) this.#play();
    else this.audio.pause();
  }

  restart() {
    if (!this.address) return;
    this.audio.currentTime = 0;
    this.#play();
  }

  /** Go on or back in the sound by so many steps. */
  move(steps) { this.#moveTo(this.audio.currentTime + steps * STEP); }

  /** Repeat or not; give which. */
  loop() {
    this.audio.loop = !this.audio.loop;
    this.loopButton.setAttribute("aria-pressed", String(this.audio.loop));
    return this.audio.loop;
  }

  /** Say in words where the sound is. */
  get spoken() { return this.slider.getAttribute("aria-valuetext"); }

  get #duration() { return Number.isFinite(this.audio.duration) ? this.audio.duration : 0; }

  #play() {
    // What could not be loaded is tried again.
    if (this.audio.error) this.audio.load();
    this.audio.play().catch(() => {});
  }

  #moveTo(seconds) {
    if (!this.#duration) return;
    this.audio.currentTime = Math.max(0, Math.min(this.#duration, seconds));
    this.#show();
  }

  /** Keys on the slider: by a fixed time rather than by a share of the sound, as sliders do. */
  #pressed(event) {
    const { key } = event;
    const steps = { ArrowLeft: -STEP, ArrowDown: -STEP, ArrowRight: STEP, ArrowUp: STEP, PageDown: -LEAP, PageUp: LEAP }[key];
    if (steps) this.#moveTo(this.audio.currentTime + steps);
    else if (key === "Home") this.#moveTo(0);
    else if (key === "End") this.#moveTo(this.#duration);
    else if (key === " ") this.toggle();
    else return;
    event.preventDefault();
  }

  #show() {
    const { audio, slider } = this;
    const duration = this.#duration;
    const now = Math.min(audio.currentTime, duration);
    slider.disabled = !duration;
    slider.max = String(duration);
    slider.value = String(now);
    const spoken = `${Math.floor(now)} of ${Math.ceil(duration)} seconds`;
    if (slider.getAttribute("aria-valuetext") !== spoken) slider.setAttribute("aria-valuetext", spoken);
    this.time.textContent = `${clock(now)} / ${clock(Math.ceil(duration))}`;
    this.playName.textContent = audio.paused ? "Play" : "Pause";
    const fault = audio.error ? "The sound could not be loaded. Play tries again." : "";
    if (this.fault.textContent !== fault) this.fault.textContent = fault;
  }
}

/** The address where it is one of this site, else null. */
function ownAddress(address) {
  if (typeof address !== "string" || !address) return null;
  try {
    const { origin, protocol, href } = new URL(address, window.location.origin);
    return origin === window.location.origin && protocol.startsWith("http") ? href : null;
  } catch {
    return null;
  }
}
