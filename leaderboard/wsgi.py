"""The WSGI entry point."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

application = get_wsgi_application()

from leaderboard.services.retention import leftovers_delete  # noqa: E402

# Uploads that a process did not live to read lie on its machine, where its successor finds them.
leftovers_delete()
