"""The browser of the tests and benchmarks."""

import shutil

# Chromium without windows takes less than half of the processor time of the whole of it.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
