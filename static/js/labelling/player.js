/**
 * The clip's sound, where the caption says where it is on this site: one key plays and repeats.
 */
export class Player {
  constructor(audio, button) {
    this.audio = audio;
    this.button = button;
  }

  load(task) {
    const address = ownAddress(task?.meta?.audio);
    this.button.hidden = !address;
    if (address === this.address) return;
    this.address = address;
    if (address) this.audio.src = address;
    else this.audio.removeAttribute("src");
  }

  play() {
    if (!this.address) return false;
    this.audio.currentTime = 0;
    this.audio.play().catch(() => {});
    return true;
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
