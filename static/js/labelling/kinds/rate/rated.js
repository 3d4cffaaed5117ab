/**
 * What someone says of the captions of a sound: {key: {accuracy, fluency}}, and whether they have heard it.
 */
import { HeardWork } from "../../forms/heard-form.js";

export const SCALES = ["accuracy", "fluency"];
export const NUMBERS = [1, 2, 3, 4];

export class Rated extends HeardWork {
  static fieldsOf({ ratings = {}, heard = false }) { return { ratings, heard }; }

  get captions() { return this.task.content.captions; }

  /** The number that a caption has on a scale, undefined for none. */
  ratingOf(key, scale) { return this.value.ratings[key]?.[scale]; }

  rate(key, scale, number) {
    const { ratings } = this.value;
    this.choose("ratings", { ...ratings, [key]: { ...ratings[key], [scale]: number } });
  }

  /** How many numbers are still missing. */
  get missing() {
    const places = this.captions.flatMap(({ key }) => SCALES.map((scale) => this.ratingOf(key, scale)));
    return places.filter((number) => number === undefined).length;
  }
}
