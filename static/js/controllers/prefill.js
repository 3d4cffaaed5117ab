/**
 * Put what was read from a file into the fields of a form, never over what a person typed.
 *
 * Usage: <div data-controller="prefill"> <div data-prefill="ID" data-value="TEXT"> </div>
 * A field that is empty, or still holds what an earlier file put there, takes the value.
 * The server does the same for fields that are left empty.
 */
const filled = new Map();

export function connect(element) {
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
