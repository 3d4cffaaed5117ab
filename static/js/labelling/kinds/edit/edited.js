/**
 * A caption that someone edits: it begins as it was written, which is no step of undo.
 */
import { History } from "../../history.js";
import { Written } from "../write/written.js";

export class Edited extends Written {
  constructor(task, kept = null) {
    super(task, kept);
    if (kept || task.annotation) return;
    const { now } = this.history;
    this.history = new History({ ...now, value: { ...now.value, text: task.content.caption } });
  }
}
