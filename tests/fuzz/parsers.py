"""Every parser of what people hand in, in one table."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.core.exceptions import TooManyFieldsSent

from annotation.formats.records import RecordFault
from annotation.formats.scheme_file import SchemeFileFault
from annotation.formats.table import COLUMNS
from earmark.metrics.composite.formula import FormulaUnusable
from earmark.train.descriptors.labelled_captions import DescriptorFault
from leaderboard.services.labellers.configuration import LabellerRefused
from leaderboard.web.refusals import Refused
from tests.fuzz import files, texts
from tests.fuzz.mutation import Form

CORPUS = Path(__file__).parent / "corpus"
"""Small files of ours, a folder for each parser: good ones, and those that once broke it."""


@dataclass(frozen=True)
class Parser:
    """One parser: how it is called, which errors are its refusals, and what it is made for.

    ``takes`` names the fields of forms and API operations whose content it reads; a test
    holds them complete. ``tokens`` are words of its grammar.
    """

    name: str
    read: Callable[[bytes], list[str]]
    form: Form = "bytes"
    refusals: tuple[type[Exception], ...] = ()
    tokens: tuple[bytes, ...] = ()
    takes: tuple[str, ...] = ()

    def texts_of(self, data: bytes) -> list[str]:
        """What people are told of an input; empty where it is taken. Raises what is a finding."""
        try:
            return self.read(data)
        except self.refusals as refused:
            return [str(refused)]


_CAPTION_WORDS = (
    *(b"file_name", b"caption_predicted", b"caption_predicted_2", b"caption_1", b"captions"),
    *(b"caption_reference_01", b"youtube_id", b"audiocap_id", b"fname", b"raw_text", b"rain.wav"),
)
_YAML_WORDS = (
    *(
        b"submission:",
        b"system:",
        b"authors:",
        b"- ",
        b"  ",
        b"!!null",
        b"!!python/object:os.system",
    ),
    *(
        b"&a ",
        b"*a",
        b"<<: *a",
        b"? ",
        b"| ",
        b">-",
        b"--- ",
        b"%YAML 1.9",
        b"{",
        b"1e3",
        b"label:",
    ),
)
_LABEL_WORDS = (
    *(b"text", b"tokens", b"spans", b"label", b"token_start", b"token_end", b"start", b"end"),
    *(b"answer", b"_session_id", b"_timestamp", b"meta", b"set", b"labels", b"taken", b"id", b"ws"),
)
_QUERY_WORDS = (
    *(b"&", b"=", b"+", b"%00", b"%ff", b"%F0%9F%98%80", b"sort=-", b"columns=", b"systems=all"),
    *(b"q=", b"smallest=", b"largest=", b"1e308", b"nan", b"external=yes", b"page=", b"metric="),
    *(b"clips=1-99999", b"precision=", b"with=", b"event_mode=", b"day=2026-02-30", b"cider_d:"),
)
# Django answers 400.
_TOO_MANY = (TooManyFieldsSent,)
_LABELS = ("SourceForm.file", "labelling_import.file")
_CANDIDATES = ("CandidatesForm.file", "SubmissionForm.file", "submit.file")

PARSERS = (
    Parser("captions", files.captions, tokens=_CAPTION_WORDS, takes=_CANDIDATES),
    Parser("captions-json", files.captions_json, "json", tokens=_CAPTION_WORDS, takes=_CANDIDATES),
    Parser(
        "references",
        files.references,
        tokens=_CAPTION_WORDS,
        takes=("ReferencesForm.file", "CaptionsForm.file", "NewDataSetForm.file"),
    ),
    Parser(
        "judgments",
        files.judgments,
        "json",
        tokens=(
            *(b"clip", b"kind", b"caption_a", b"caption_b", b"votes", b"preferred", b"HC", b"MM_1"),
            *(b"reference_1", b"references", b"both", b"1 -1 0", b"[1, -1]", b"audio_id", b"1e999"),
        ),
        takes=("OwnJudgmentsForm.file",),
    ),
    Parser(
        "clip-table",
        files.clip_table,
        tokens=(b"file_name", b"youtube_id", b"tags", b'"', b";", b"\t", b"rain.wav"),
        takes=("CaptionsForm.metadata", "NewDataSetForm.metadata"),
    ),
    Parser(
        "clip-pool",
        files.clip_pool,
        tokens=(b"file_name", b"tags", b"duration", b"uploader", b";", b"rain"),
        takes=("ClipChoiceForm.pool",),
    ),
    Parser(
        "caption-list",
        files.caption_list,
        tokens=_CAPTION_WORDS,
    ),
    Parser("package", files.package, "zip", tokens=_YAML_WORDS, takes=_CANDIDATES),
    Parser(
        "package-parts",
        files.package_parts,
        tokens=_YAML_WORDS,
        takes=(
            "CandidatesForm.report",
            "SubmissionForm.report",
            "submit.report",
        ),
    ),
    Parser(
        "metadata",
        files.metadata,
        tokens=_YAML_WORDS,
        takes=(
            "CandidatesForm.metadata_file",
            "SubmissionForm.metadata_file",
            "DescriptionForm.metadata_file",
            "submit.metadata_file",
        ),
    ),
    Parser(
        "labels",
        files.labels,
        "lines",
        refusals=(RecordFault,),
        tokens=_LABEL_WORDS,
        takes=(*_LABELS, "QualificationFileForm.file"),
    ),
    Parser(
        "label-table",
        files.label_table,
        tokens=(b"text", b"caption_1", *(name.encode() for name in COLUMNS), b"[[0,1]]"),
        takes=_LABELS,
    ),
    Parser("label-text", files.label_text, tokens=(b"A dog barks.",), takes=_LABELS),
    Parser(
        "label-docbin",
        files.label_docbin,
        tokens=(b"lengths", b"tokens", b"spaces", b"\xc1", b"\xdf\xff\xff\xff\xff", b"annotator"),
        takes=_LABELS,
    ),
    Parser(
        "scheme-file",
        files.scheme_file,
        refusals=(SchemeFileFault,),
        tokens=(
            *(b"title: ", b"labels:\n", b"- name: ", b"key: ", b"tone: ", b"guideline: "),
            *(b"examples: [", b"a [man] is", b"&a ", b"*a", b"<<: *a", b"!!python/name:os", b"{}"),
        ),
        takes=("NewProjectForm.scheme_file",),
    ),
    Parser(
        "training-labels",
        files.training_labels,
        "lines",
        refusals=(DescriptorFault,),
        tokens=_LABEL_WORDS,
    ),
    Parser(
        "labeller-configuration",
        files.labeller_configuration,
        "json",
        refusals=(LabellerRefused,),
        tokens=(b"labels", b"encoder", b"rank", b"alpha", b"method", b"full", b"architecture"),
    ),
    Parser(
        "labeller-tokeniser",
        files.labeller_tokeniser,
        "json",
        refusals=(LabellerRefused,),
        tokens=(b"type", b"model", b"normalizer", b"Sequence", b"Replace", b"Regex", b"vocab"),
    ),
    Parser(
        "labeller-weights",
        files.labeller_weights,
        refusals=(LabellerRefused,),
        tokens=(b'"dtype"', b'"shape"', b'"data_offsets"', b'"F32"', b'"U8"', b"__metadata__"),
    ),
    Parser(
        "recordings",
        files.recordings,
        "zip",
        refusals=(Refused,),
        tokens=(b"RIFF", b"WAVE", b"fLaC", b"OggS", b"ftyp", b"ID3", b"PK\x05\x06", b"PK\x06\x06"),
        takes=("ArchiveForm.file",),
    ),
    Parser(
        "project-archive",
        files.project_archive,
        "zip",
        refusals=(Refused,),
        tokens=(
            b'"item": 1',
            b'"user": 99',
            b'"spans": []',
            b'"labels": ["O"]',
            b'"format": 3',
            b'"kind": "rate"',
            b'"facet": "MM"',
            b'"captions": []',
            b'"value": {}',
            b'"content": {}',
        ),
        takes=("ProjectArchiveForm.file",),
    ),
    Parser("board-query", texts.board_query, refusals=_TOO_MANY, tokens=_QUERY_WORDS),
    Parser("lab-query", texts.lab_query, refusals=_TOO_MANY, tokens=_QUERY_WORDS),
    Parser("clips-query", texts.clips_query, refusals=_TOO_MANY, tokens=_QUERY_WORDS),
    Parser("filter-forms", texts.filter_forms, refusals=_TOO_MANY, tokens=_QUERY_WORDS),
    Parser(
        "fields",
        texts.fields,
        tokens=(b"2026-03-29T02:30", b"bytes=", b"0-", b"-1", b"https://", b":443", b"[::1]", b"@"),
    ),
    Parser(
        "prose",
        texts.prose,
        tokens=(
            b"](javascript:",
            b"![",
            b"](a)",
            b"<img src=x onerror=",
            b"|-",
            b"```",
            b"&#x6A;",
            b"[a]:",
        ),
    ),
    Parser(
        "formula",
        texts.formula,
        refusals=(FormulaUnusable,),
        tokens=(b"*(", b")/", b"fense", b"fer", b"e-9", b"1e308", b"spider_max", b"composite"),
    ),
    Parser("images", files.images, refusals=(Refused,), takes=("ImageForm.file",)),
    Parser("tried-captions", texts.tried_captions, tokens=(b"n't ", b"... ", b"http://", b"&amp;")),
    Parser(
        "bodies",
        texts.bodies,
        "lines",
        tokens=(b"ChangeIn\n", b"KeysIn\n", b"spans", b"edit"),
        takes=tuple(sorted(schema.__name__ for schema in texts.BODIES)),
    ),
)
