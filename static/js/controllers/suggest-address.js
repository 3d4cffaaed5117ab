/**
 * Fill in the address of something from its name while nobody has written one.
 *
 * Usage: <div data-controller="suggest-address" data-from="ID"> <input> </div>
 */
export function connect(element) {
  const address = element.querySelector("input");
  const name = document.getElementById(element.dataset.from);
  const made = () => name.value.normalize("NFKD").replace(/[^\w\s-]/g, "").trim()
    .toLowerCase().replace(/[\s-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 50);
  let own = address.value !== "" && address.value !== made();
  address.addEventListener("input", () => { own = address.value !== ""; });
  name.addEventListener("input", () => { if (!own) address.value = made(); });
}
