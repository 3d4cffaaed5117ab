/**
 * A caption in the list of those that are rated: its text and a radio group for each scale.
 */
import { NUMBERS, SCALES } from "./rated.js";

const titleOf = (scale) => scale[0].toUpperCase() + scale.slice(1);

/** `place` of `count` captions, from 0. What comes has the `line` of the list, and shows what it is told. */
export function ratedCaption({ key, text, place, count }) {
  const line = document.createElement("li");
  line.className = "rated";
  const said = document.createElement("p");
  said.className = "rated__text";
  said.textContent = text;
  said.id = `rated-${key}`;
  const groups = new Map(SCALES.map((scale) => [scale, radioGroup(key, scale, said.id)]));
  line.append(said, ...groups.values());
  const radios = (scale) => [...groups.get(scale).querySelectorAll("input")];
  return {
    key,
    line,
    spoken: `Caption ${place + 1} of ${count}: ${text}.`,
    nameOf: (scale) => `${titleOf(scale)} of caption ${place + 1}:`,
    /** Check what `numberOf(scale)` says; undefined: none. */
    show(numberOf) {
      SCALES.forEach((scale) => radios(scale).forEach((radio) => {
        radio.checked = Number(radio.value) === numberOf(scale);
      }));
    },
    /** Mark the scale that a digit rates now; null: none of this caption. */
    mark(scale) {
      line.classList.toggle("rated--here", scale !== null);
      groups.forEach((group, name) => group.classList.toggle("rated__scale--here", name === scale));
    },
    focus(scale) {
      const all = radios(scale);
      (all.find((radio) => radio.checked) ?? all[0]).focus({ preventScroll: true });
    },
  };
}

function radioGroup(key, scale, text) {
  const group = document.createElement("fieldset");
  group.className = "rated__scale";
  group.setAttribute("aria-describedby", text);
  const legend = document.createElement("legend");
  legend.textContent = titleOf(scale);
  group.append(legend, ...NUMBERS.map((number) => {
    const label = document.createElement("label");
    const radio = document.createElement("input");
    radio.type = "radio";
    radio.name = `${scale}-${key}`;
    radio.value = number;
    Object.assign(radio.dataset, { key, scale });
    label.append(radio, String(number));
    return label;
  }));
  return group;
}
