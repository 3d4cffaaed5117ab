/**
 * Offer the time zone of the browser where the field still has UTC, its default.
 *
 * Usage: <div data-controller="own-zone"> <input value="UTC"> </div>
 */
export function connect(element) {
  const field = element.querySelector("input");
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if (field.value === "UTC" && field.defaultValue === "UTC" && timeZone?.includes("/")) {
    if (!timeZone.startsWith("Etc/")) field.value = timeZone;
  }
}
