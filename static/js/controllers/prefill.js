/**
 * Put what was read from a file into the fields of a form, never over what a person typed.
 *
 * Usage: <div data-controller="prefill" data-needed="ID"> <div data-prefill="ID" data-value="TEXT">
 * </div> The field that data-needed names must be filled in for this file: a browser that sends
 * nothing without it keeps the file that was chosen.
 * A field that is empty, or still holds what an earlier file put there, takes the value.
 * The server does the same for fields that are left empty.
 */
const filled = new Map();
let needed = null;

export function connect(element) {
  if (needed) needed.required = false;
  needed = document.getElementById(element.dataset.needed ?? "");
  if (needed) needed.required = true;
  const now = new Set();
  element.querySelectorAll("[data-prefill]").forEach((item) => {
    const field = document.getElementById(item.dataset.prefill);
    if (!field) return;
    now.add(field);
    if (field.value.trim() && field.value !== filled.get(field)) return;
    field.value = item.dataset.value;
    filled.set(field, field.value);
  });
  // What another file had put there and this one does not say.
  filled.forEach((value, field) => {
    if (now.has(field)) return;
    if (field.value === value) field.value = "";
    filled.delete(field);
  });
}
