/**
 * Ask a security key before a form is sent, and send its answer with it.
 *
 * Usage: <form data-controller="security-key" data-ceremony="create|get"> with a hidden input
 * named "credential", the server's challenge in <script type="application/json" id="key-options">
 * and an element [data-said] where failures are told. The answer has the form that the
 * standard's own toJSON() gives, written here because not every browser has it.
 */
const REFUSED = {
  NotAllowedError: "The key was not used: it was cancelled, or it took too long. Try again.",
  InvalidStateError: "This key is one of yours already.",
  SecurityError: "Browsers allow security keys only under the site's own name with HTTPS.",
};

const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));

const toText = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const known = (list = []) => list.map((entry) => ({ ...entry, id: toBytes(entry.id) }));

function creation({ publicKey }) {
  return {
    publicKey: {
      ...publicKey,
      challenge: toBytes(publicKey.challenge),
      user: { ...publicKey.user, id: toBytes(publicKey.user.id) },
      excludeCredentials: known(publicKey.excludeCredentials),
    },
  };
}

function request({ publicKey }) {
  return {
    publicKey: {
      ...publicKey,
      challenge: toBytes(publicKey.challenge),
      allowCredentials: known(publicKey.allowCredentials),
    },
  };
}

function answer(credential) {
  const { response } = credential;
  const parts = { clientDataJSON: toText(response.clientDataJSON) };
  for (const name of ["attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (response[name]) parts[name] = toText(response[name]);
  }
  if (response.getTransports) parts.transports = response.getTransports();
  return {
    type: credential.type,
    id: credential.id,
    rawId: toText(credential.rawId),
    authenticatorAttachment: credential.authenticatorAttachment,
    response: parts,
    clientExtensionResults: credential.getClientExtensionResults(),
  };
}

function ask(form) {
  const options = JSON.parse(form.querySelector("#key-options").textContent);
  return form.dataset.ceremony === "create"
    ? navigator.credentials.create(creation(options.creation_options))
    : navigator.credentials.get(request(options.request_options));
}

export function connect(form) {
  const said = form.querySelector("[data-said]");
  const tell = (text) => {
    said.textContent = text;
    said.hidden = !text;
  };
  if (!window.PublicKeyCredential) {
    tell("This browser has no security keys here: they need HTTPS and a recent version.");
    form.querySelector("[type=submit]").disabled = true;
    return;
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    tell("");
    try {
      form.elements.credential.value = JSON.stringify(answer(await ask(form)));
    } catch (error) {
      tell(REFUSED[error.name] ?? `The key could not be used: ${error.message}`);
      return;
    }
    form.submit();
  });
}
