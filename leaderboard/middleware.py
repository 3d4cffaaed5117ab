"""What happens to every request."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from leaderboard.kept import Busy


class BusyMiddleware:
    """Say it in plain words where something was not computed because too much is asked for."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass on."""
        return self.get_response(request)

    def process_exception(self, _request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer 429 or 503 with the time to wait."""
        if not isinstance(error, Busy):
            return None
        response = HttpResponse(
            str(error), status=error.status, content_type="text/plain; charset=utf-8"
        )
        response["Retry-After"] = str(error.wait)
        return response
