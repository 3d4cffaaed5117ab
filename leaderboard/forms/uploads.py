"""Taking files in without letting their size hurt anyone."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt, csrf_protect

P = ParamSpec("P")
R = TypeVar("R", bound=HttpRequest)
View = Callable[Concatenate[R, P], HttpResponse]


class CappedUpload(FileUploadHandler):
    """Keep at most one chunk more than the limit of a file, and drop the rest.

    Stands first for every request (FILE_UPLOAD_HANDLERS), since Django writes the
    files of any form to disk, even of one that has no field for them.

    The whole request is still read, so that the browser gets the answer and not
    a broken connection, and the other fields survive; but no more than the
    limit is ever held. The file's size then tells that it was too large.
    """

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Count anew for each file."""
        super().new_file(*args, **kwargs)
        self.seen = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        """Pass a chunk on to the next handler while the limit is not passed."""
        if self.seen > settings.MAX_UPLOAD_BYTES:
            return None
        self.seen += len(raw_data)
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leave the making of the file to the next handler."""


def parsed_late(view: View[R, P]) -> View[R, P]:
    """Check the CSRF token, which parses the whole upload, behind the decorators above this one."""
    protected = csrf_protect(view)

    @csrf_exempt
    @wraps(view)
    def late(request: R, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        return protected(request, *args, **kwargs)

    return late


class CandidatesField(forms.FileField):
    """A file of candidates of at most ``settings.MAX_UPLOAD_BYTES``.

    Empty files pass: the reader of candidates says what is wrong with them.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(
            allow_empty_file=True,
            widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.json,.jsonl,text/csv"}),
            error_messages={"required": "Choose the file with your captions."},
            **options,
        )

    def clean(self, data: Any, initial: Any = None) -> Any:
        """Give the file, or raise ``ValidationError`` where it is too large."""
        file = super().clean(data, initial)
        if isinstance(file, UploadedFile) and (file.size or 0) > settings.MAX_UPLOAD_BYTES:
            limit = f"{settings.MAX_UPLOAD_BYTES / 1_000_000:g} MB"
            raise ValidationError(
                f"The file is larger than the limit of {limit}. A file of captions is usually "
                "far smaller; check that you chose the right one."
            )
        return file
