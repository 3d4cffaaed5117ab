"""How every address that takes a phase or a submission answers, where references are hidden.

The rows of ``test_hidden_phase``: a new address needs a thought about what it tells, and a row.
"""

import re
from dataclasses import dataclass
from typing import TypeAlias

Codes: TypeAlias = tuple[int, int, int, int]
PEOPLE = ("anonymous", "outsider", "member", "organiser")
# Words of the references and of the details of clips, which are asked for and never told.
REFERENCE, DETAIL = "quillwort", "Bellbirdish"
FAULTY = b"file_name,caption_predicted\nnone.wav,it rings\nnone.wav,it rings again\n"

ALL: Codes = (200, 200, 200, 200)
REFUSED: Codes = (403, 403, 403, 200)


@dataclass(frozen=True)
class Row:
    """How an address answers each of ``PEOPLE``, whatever the query.

    ``human``: where the human row answers otherwise than a team's system;
    ``own``: the team gets its own captions back.
    """

    codes: Codes
    queries: tuple[str, ...] = ("",)
    method: str = "GET"
    upload: bytes | None = None
    human: Codes | None = None
    own: bool = False


CLIP_QUERIES = (
    "?metric=cider_d",
    f"?metric=cider_d&sort=best&q={REFERENCE}",
    "?metric=cider_d&q=nothing",
    f"?metric=cider_d&event={DETAIL}&event_mode=left_out",
    "?metric=cider_d&error=any&label=WHO&choose=1&page=2",
    "?metric=cider_d&with={human}&sort=ahead",
    "?metric=cider_d&with=none",
    "?metric=none",
)
COMPARE_QUERIES = (
    "?a={submission}&b={rival}",
    "?a={submission}&b={human}",
    "?a={submission}&b=none",
    "?a=none&b=none",
)
SPREAD_QUERIES = (
    "",
    "?s={submission}&s={human}&metric=cider_d&drawing=violin",
    "?of={submission}&x=cb_score&y=fense",
    "?s=none",
)

CONCERNED: dict[str, Row] = {
    "c/<slug:challenge>/": Row(ALL),
    "c/<slug:challenge>/<slug:phase>/": Row(ALL, ("", "?systems=all&columns=all&sort=-cider_d")),
    "c/<slug:challenge>/<slug:phase>/analysis/": Row(REFUSED, ("", "?coefficient=pearson")),
    "c/<slug:challenge>/<slug:phase>/compare/": Row(REFUSED, ("", *COMPARE_QUERIES)),
    "c/<slug:challenge>/<slug:phase>/distributions/": Row(REFUSED, SPREAD_QUERIES),
    "c/<slug:challenge>/<slug:phase>/submit/": Row((302, 200, 200, 200)),
    "c/<slug:challenge>/<slug:phase>/submit/check/": Row(
        (302, 200, 200, 200), method="POST", upload=FAULTY
    ),
    "c/<slug:challenge>/<slug:phase>/template.csv": Row((302, 200, 200, 200)),
    "s/<slug:public_id>/": Row(ALL, ("", "?metric=cider_d", "?metric=none")),
    "s/<slug:public_id>/progress/": Row(ALL),
    "s/<slug:public_id>/profile/": Row(REFUSED),
    "s/<slug:public_id>/clips/": Row(REFUSED, ("", *CLIP_QUERIES)),
    "s/<slug:public_id>/clips/<int:number>/": Row(REFUSED, ("", *CLIP_QUERIES)),
    "s/<slug:public_id>/retry/": Row(
        (302, 404, 302, 302), method="POST", human=(302, 404, 404, 302)
    ),
    "s/<slug:public_id>/file/": Row((302, 404, 200, 200), human=(302, 404, 404, 200), own=True),
    "api/v1/challenges/<slug:challenge>": Row(ALL),
    "api/v1/phases/<slug:challenge>/<slug:phase>": Row(ALL),
    "api/v1/phases/<slug:challenge>/<slug:phase>/leaderboard": Row(ALL, ("", "?systems=all")),
    "api/v1/phases/<slug:challenge>/<slug:phase>/analysis": Row(REFUSED),
    "api/v1/phases/<slug:challenge>/<slug:phase>/compare": Row(REFUSED, COMPARE_QUERIES),
    "api/v1/phases/<slug:challenge>/<slug:phase>/distributions": Row(
        REFUSED, ("", "?metric=cb_score", "?s=nothing")
    ),
    "api/v1/phases/<slug:challenge>/<slug:phase>/submissions": Row(
        (401, 422, 422, 422), method="POST", upload=FAULTY
    ),
    "api/v1/submissions/<slug:public_id>": Row(ALL),
    "api/v1/submissions/<slug:public_id>/metrics": Row(ALL),
    "api/v1/submissions/<slug:public_id>/profile": Row(REFUSED),
    "api/v1/submissions/<slug:public_id>/clips": Row(REFUSED, CLIP_QUERIES),
    "api/v1/submissions/<slug:public_id>/clips/<path:file_name>": Row(REFUSED),
    "api/v1/submissions/<slug:public_id>/retry": Row(
        (401, 404, 200, 200), method="POST", human=(401, 404, 404, 200)
    ),
}

# These take no phase, but some show a little of the phases that a person has to do with.
OTHERS = {
    "",
    "healthz",
    "metrics/",
    "metrics/try/",
    "metrics/<slug:name>/",
    "teams/",
    "teams/new/",
    "teams/join/<slug:token>/",
    "teams/<slug:team>/",
    "teams/<slug:team>/invite/",
    "teams/<slug:team>/invite/<int:pk>/revoke/",
    "account/tokens/",
    "account/tokens/new/",
    "account/tokens/<int:pk>/delete/",
    "api/v1/",
    "api/v1/openapi.json",
    "api/v1/docs",
    "api/v1/challenges",
    "api/v1/metrics",
    "api/v1/metrics/try",
    "api/v1/me",
    r"api/v1/^[\s\S]+$",
}
# Other apps, and the pages of organisers: not of phases, unless they take one.
ELSEWHERE = ("accounts/", "admin/", "annotate/", "api/v1/labelling/")
OF_A_PHASE = re.compile(r":(challenge|phase|public_id|submission)>")
