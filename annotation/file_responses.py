"""Sending files that are made while they are sent."""

import gzip

from django.http import HttpResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header

from annotation.models import TrainingRun
from annotation.selectors.formats import Download

JSON_LINES = "application/jsonl"


def download_response(download: Download) -> StreamingHttpResponse:
    """Answer with a file that is made while it is sent."""
    disposition = content_disposition_header(as_attachment=True, filename=download.name)
    return StreamingHttpResponse(
        download.pieces,
        content_type=download.content_type,
        headers={"Content-Disposition": disposition},
    )


def training_data_response(run: TrainingRun) -> HttpResponse:
    """Answer with exactly the captions that a training learned from."""
    name = f"{run.project.slug}-training-{run.number}.jsonl"
    disposition = content_disposition_header(as_attachment=True, filename=name)
    return HttpResponse(
        gzip.decompress(bytes(run.data.content)),
        content_type=JSON_LINES,
        headers={"Content-Disposition": disposition},
    )
