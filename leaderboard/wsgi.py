"""The WSGI entry point."""

import gc
import logging
import os

from django.core.checks import run_checks
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

application = get_wsgi_application()

from django.urls import get_resolver  # noqa: E402

from earmark.text.ptb import shared_lexer  # noqa: E402
from leaderboard.checks import SITE  # noqa: E402
from leaderboard.services.retention import leftovers_delete  # noqa: E402

# Every page, and the rules by which captions are split into words, are loaded before the first
# visitor comes: on a busy machine that takes many seconds, which one person would wait for.
_ = get_resolver().url_patterns
shared_lexer()

for _fault in run_checks(tags=[SITE], include_deployment_checks=True):
    logging.getLogger(__name__).warning("%s %s", _fault.msg, _fault.hint)

# Uploads that a process did not live to read lie on its machine, where its successor finds them.
leftovers_delete()

# What is loaded by now stays for as long as the process. To look through all of it for what is not
# used takes over a tenth of a second, in the midst of somebody's request, so that it is left out.
gc.collect()
gc.freeze()
