/**
 * The page of editing captions: the caption as it was written above the one that is edited.
 */
import { WriteView } from "../write/view.js";

export class EditView extends WriteView {
  constructor(root, session, settings) {
    super(root, session, settings);
    this.original = this.part("original");
  }

  show(work) {
    super.show(work);
    this.original.textContent = work.task.content.caption;
  }

  clear() {
    super.clear();
    this.original.textContent = "";
  }
}
