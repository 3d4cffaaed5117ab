"""Taking files in without letting their size hurt anyone, and the form of own judgments."""

import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path, PurePath
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, TemporaryFileUploadHandler
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from leaderboard.web.page_cache import Busy
from leaderboard.web.public_names import NameField
from leaderboard.web.rate_limits import P, R, View

logger = logging.getLogger(__name__)

NO_ROOM = (
    "The server has no room for your file. Nothing was stored. Try again later, or tell an "
    "administrator of this site."
)
WAIT_SECONDS = 60


class CappedUpload(FileUploadHandler):
    """Keep at most one chunk more than the limit of a file, and drop the rest.

    Stands first for every request (FILE_UPLOAD_HANDLERS), since Django writes the
    files of any form to disk, even of one that has no field for them.

    The whole request is still read, so that the browser gets the answer and not
    a broken connection, and the other fields survive; but no more than the
    limit is ever held. The file's size then tells that it was too large.
    """

    def __init__(self, request: HttpRequest | None, setting: str = "MAX_UPLOAD_BYTES") -> None:
        super().__init__(request)
        self.limit = int(getattr(settings, setting))

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Count anew for each file."""
        super().new_file(*args, **kwargs)
        self.seen = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        """Pass a chunk on to the next handler while the limit is not passed."""
        if self.seen > self.limit:
            return None
        self.seen += len(raw_data)
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leave the making of the file to the next handler."""


class DiskUpload(TemporaryFileUploadHandler):
    """Put files down on disk; where it is full or gone, that is said and the site goes on."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Begin a file."""
        with _disk_told():
            super().new_file(*args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write a part of it."""
        with _disk_told():
            super().receive_data_chunk(raw_data, start)

    def file_complete(self, file_size: int) -> Any:
        """Write what is left of it."""
        with _disk_told():
            return super().file_complete(file_size)


@contextmanager
def _disk_told() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        logger.exception("Uploads cannot be written to %s", settings.FILE_UPLOAD_TEMP_DIR)
        raise Busy(503, NO_ROOM, WAIT_SECONDS) from error


def parsed_late(view: View[R, P]) -> View[R, P]:
    """Check the CSRF token, which parses the whole upload, behind the decorators above this one."""
    return parsed_late_by("MAX_UPLOAD_BYTES")(view)


def parsed_late_by(setting: str) -> Callable[[View[R, P]], View[R, P]]:
    """Parse an upload behind the decorators above this one, of at most ``setting`` bytes a file."""

    def decorate(view: View[R, P]) -> View[R, P]:
        protected = csrf_protect(view)

        @csrf_exempt
        @wraps(view)
        def late(request: R, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            usual = [each for each in request.upload_handlers if type(each) is not CappedUpload]
            request.upload_handlers = [CappedUpload(request, setting), *usual]
            return protected(request, *args, **kwargs)

        return late

    return decorate


def too_large(limit: int, advice: str) -> str:
    """Why a file of more than ``limit`` bytes is refused, and what can be done."""
    size = f"{limit / 1e9:g} GB" if limit >= 1e9 else f"{limit / 1e6:g} MB"
    return f"The file is larger than the limit of {size}. {advice}"


class LimitedFileField(forms.FileField):
    """A file of limited size; its reader says if it is empty.

    ``limit`` reads the most bytes that it may have, ``advice`` is for who sends more.
    """

    def __init__(
        self,
        *,
        accept: str,
        limit: Callable[[], int] = lambda: settings.MAX_UPLOAD_BYTES,
        advice: str = "Files of captions and packages are usually far smaller; check that you "
        "chose the right one.",
        **options: Any,
    ) -> None:
        widget = forms.FileInput(attrs={"accept": accept})
        super().__init__(allow_empty_file=True, widget=widget, **options)
        self.limit, self.advice = limit, advice

    def clean(self, data: Any, initial: Any = None) -> Any:
        """The file; raises ``ValidationError`` where it is too large."""
        file = super().clean(data, initial)
        if isinstance(file, UploadedFile) and (file.size or 0) > self.limit():
            raise ValidationError(too_large(self.limit(), self.advice))
        return file


class CandidatesField(LimitedFileField):
    """A file of candidates, or a package that has them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            accept=".csv,.tsv,.json,.jsonl,.zip,text/csv,application/zip",
            error_messages={"required": "Choose the file with your captions."},
            **options,
        )


@contextmanager
def upload_on_disk(file: "UploadedFile[bytes]") -> Iterator[Path]:
    """Path of an upload; one that is held in memory is written to a temporary file."""
    if isinstance(file, TemporaryUploadedFile):
        yield Path(file.temporary_file_path())
        return
    folder = settings.FILE_UPLOAD_TEMP_DIR
    with tempfile.NamedTemporaryFile(suffix=".zip", dir=folder) as copy:
        copy.writelines(file.chunks())
        copy.flush()
        yield Path(copy.name)


NAME_LENGTH = 80


class OwnJudgmentsForm(forms.Form):
    """A file of judgments, and what its owner calls it."""

    file = LimitedFileField(
        label="File of judgments",
        accept=".json,.csv,.tsv,application/json,text/csv",
        advice="Leave out pairs or references.",
        error_messages={"required": "Choose the file with the judgments."},
    )
    name = NameField(
        label="Name",
        max_length=NAME_LENGTH,
        required=False,
        help_text="What you call these judgments. Empty: the file's name.",
    )

    @property
    def shown_name(self) -> str:
        """The name that was given, else that of the file."""
        stem = PurePath(self.cleaned_data["file"].name or "").stem
        title = "".join(char for char in stem if char.isprintable())[:NAME_LENGTH]
        return self.cleaned_data["name"] or title or "Judgments"
