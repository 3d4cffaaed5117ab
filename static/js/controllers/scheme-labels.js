/**
 * Show the labels of the scheme that is chosen; without scripts those of all are there.
 *
 * Usage: <form data-controller="scheme-labels"> <select name="scheme"> ...
 *        <fieldset data-scheme="VALUE"> ... one for each scheme.
 * What is hidden is not sent, and comes back as it was.
 */
export function connect(form) {
  const select = form.elements.scheme;
  const show = () => form.querySelectorAll("[data-scheme]").forEach((group) => {
    group.hidden = group.disabled = group.dataset.scheme !== select.value;
  });
  select.addEventListener("change", show);
  show();
}
