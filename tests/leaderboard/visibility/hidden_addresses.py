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
ORGANISERS: Codes = (302, 404, 404, 200)


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
WORDS_QUERIES = (
    "",
    f"?s={{submission}}&s={{human}}&measure=words&label={DETAIL}",
    "?against={submission}&label=WHO",
    "?csv=counts",
    "?csv=texts",
    "?s=none",
)
SPREAD_QUERIES = (
    "",
    "?s={submission}&s={human}&metric=cider_d&drawing=violin",
    "?s=none",
)
PAIR_QUERIES = ("", "?x=meteor&y=cider_d")

LAB_QUERIES = (
    "",
    "?metric=cider_d,fense:2&mix=ranks&counting=last&precision=1",
    "?clips=1-2&telling=1&baselines=1&csv=1",
    "?systems={submission}&metric=none&telling=99",
)

CONCERNED: dict[str, Row] = {
    "c/<slug:challenge>/": Row(ALL),
    "c/<slug:challenge>/images/<slug:sha256>.webp": Row((404, 404, 404, 404)),
    "c/<slug:challenge>/<slug:phase>/share.png": Row(ALL),
    "c/<slug:challenge>/results.zip": Row(ALL),
    "c/<slug:challenge>/<slug:phase>/results.zip": Row(ALL),
    "c/<slug:challenge>/phases/": Row(ALL, ("", "?sort=@team", "?sort=-none&page=2")),
    "c/<slug:challenge>/<slug:phase>/": Row(ALL, ("", "?systems=all&columns=all&sort=-cider_d")),
    "c/<slug:challenge>/<slug:phase>/starter-kit.zip": Row(ALL),
    "c/<slug:challenge>/<slug:phase>/export/": Row(
        ALL, tuple(f"?format={name}&intervals=1" for name in ("csv", "latex"))
    ),
    "c/<slug:challenge>/<slug:phase>/history/": Row(ALL),
    "c/<slug:challenge>/<slug:phase>/analysis/": Row(ALL, ("", "?coefficient=pearson")),
    "c/<slug:challenge>/<slug:phase>/judges/": Row((404, 404, 404, 200), ("", "?pairs=HC")),
    "c/<slug:challenge>/<slug:phase>/judges/<int:pk>/wrong/<slug:name>/": Row((302, 404, 404, 404)),
    "c/<slug:challenge>/<slug:phase>/compare/": Row(REFUSED, ("", *COMPARE_QUERIES)),
    "c/<slug:challenge>/<slug:phase>/distributions/": Row(REFUSED, SPREAD_QUERIES),
    "c/<slug:challenge>/<slug:phase>/pair/": Row(ALL, PAIR_QUERIES),
    "c/<slug:challenge>/<slug:phase>/references/": Row(ALL),
    "c/<slug:challenge>/<slug:phase>/words/": Row(REFUSED, WORDS_QUERIES),
    "c/<slug:challenge>/<slug:phase>/lab/": Row(ORGANISERS, LAB_QUERIES),
    "c/<slug:challenge>/<slug:phase>/rankings/": Row((301, 301, 301, 301)),
    "c/<slug:challenge>/<slug:phase>/rankings/<int:pk>.json": Row((301, 301, 301, 301)),
    "c/<slug:challenge>/<slug:phase>/rankings/<int:pk>/": Row(
        (404, 404, 404, 404), ("", "?format=json")
    ),
    "c/<slug:challenge>/<slug:phase>/submit/": Row((302, 200, 200, 200)),
    "c/<slug:challenge>/<slug:phase>/submit/check/": Row(
        (302, 200, 200, 200), method="POST", upload=FAULTY
    ),
    "c/<slug:challenge>/<slug:phase>/template.csv": Row((302, 200, 200, 200)),
    "s/<slug:public_id>/": Row(ALL, ("", "?metric=cider_d", "?metric=none")),
    "s/<slug:public_id>/progress/": Row(ALL),
    "s/<slug:public_id>/about/": Row(ALL),
    "s/<slug:public_id>/profile/": Row(REFUSED),
    "s/<slug:public_id>/words/": Row(
        REFUSED, ("", "?with={rival}", "?with=none", "?csv=counts", "?csv=texts&with={human}")
    ),
    "s/<slug:public_id>/clips/": Row(REFUSED, ("", *CLIP_QUERIES)),
    "s/<slug:public_id>/clips/<int:number>/": Row(REFUSED, ("", *CLIP_QUERIES)),
    "s/<slug:public_id>/edit/": Row((302, 404, 200, 200), human=(302, 404, 404, 404)),
    "s/<slug:public_id>/metadata.yaml": Row(ALL),
    "s/<slug:public_id>/report/": Row((404, 404, 404, 404)),
    "s/<slug:public_id>/file/": Row((302, 404, 200, 200), human=(302, 404, 404, 200), own=True),
    "audio/<int:reference_set>/<int:number>/": Row((404, 404, 404, 200)),
    "manage/<slug:challenge>/": Row(ORGANISERS),
    "manage/<slug:challenge>/text/": Row(ORGANISERS),
    "manage/<slug:challenge>/text/images/": Row(ORGANISERS),
    "manage/<slug:challenge>/text/preview/": Row((302, 404, 404, 200), method="POST"),
    "manage/<slug:challenge>/phases/": Row(ORGANISERS),
    "manage/<slug:challenge>/phases/new/": Row(ORGANISERS),
    "manage/<slug:challenge>/announcements/": Row(ORGANISERS),
    "manage/<slug:challenge>/announcements/<int:pk>/": Row((302, 404, 404, 404)),
    "manage/<slug:challenge>/people/participants/": Row(ORGANISERS),
    "manage/<slug:challenge>/people/participants.csv": Row(ORGANISERS),
    "manage/<slug:challenge>/people/participants/<int:pk>/": Row((302, 404, 404, 404)),
    # The challenge asks for nothing.
    "take-part/<slug:challenge>/": Row((302, 404, 404, 404)),
    "manage/<slug:challenge>/people/": Row(ORGANISERS),
    "manage/<slug:challenge>/audit/": Row(ORGANISERS),
    "manage/<slug:challenge>/audit.csv": Row(ORGANISERS),
    "manage/<slug:challenge>/submissions/": Row(ORGANISERS),
    "manage/<slug:challenge>/submissions/<slug:public_id>/": Row(ORGANISERS),
    "manage/<slug:challenge>/<slug:phase>/": Row(ORGANISERS),
    "manage/<slug:challenge>/<slug:phase>/ranking/": Row(ORGANISERS),
    "manage/<slug:challenge>/<slug:phase>/references/": Row(ORGANISERS),
    "manage/<slug:challenge>/<slug:phase>/audio/": Row(ORGANISERS),
    "manage/<slug:challenge>/<slug:phase>/outside/": Row(ORGANISERS),
    "manage/<slug:challenge>/<slug:phase>/rescoring/": Row(ORGANISERS),
    "manage/<slug:challenge>/<slug:phase>/rescoring/progress/": Row(ORGANISERS),
    "api/v1/challenges/<slug:challenge>": Row(ALL),
    "api/v1/challenges/<slug:challenge>/leaderboards": Row(ALL, ("", "?sort=-@team")),
    "api/v1/phases/<slug:challenge>/<slug:phase>": Row(ALL),
    "api/v1/phases/<slug:challenge>/<slug:phase>/starter-kit": Row(ALL),
    "api/v1/phases/<slug:challenge>/<slug:phase>/clips": Row(ALL),
    "api/v1/phases/<slug:challenge>/<slug:phase>/leaderboard": Row(ALL, ("", "?systems=all")),
    "api/v1/phases/<slug:challenge>/<slug:phase>/history": Row(ALL),
    "api/v1/phases/<slug:challenge>/<slug:phase>/analysis": Row(REFUSED),
    "api/v1/phases/<slug:challenge>/<slug:phase>/judges": Row((404, 404, 404, 200)),
    "api/v1/phases/<slug:challenge>/<slug:phase>/compare": Row(REFUSED, COMPARE_QUERIES),
    "api/v1/phases/<slug:challenge>/<slug:phase>/distributions": Row(
        REFUSED, ("", "?metric=cb_score", "?s=nothing")
    ),
    "api/v1/phases/<slug:challenge>/<slug:phase>/references": Row(ALL),
    "api/v1/phases/<slug:challenge>/<slug:phase>/words": Row(
        REFUSED, ("", "?s={submission}&against={submission}", "?s=nothing")
    ),
    "api/v1/phases/<slug:challenge>/<slug:phase>/submissions": Row(
        (401, 422, 422, 422), method="POST", upload=FAULTY
    ),
    "api/v1/submissions/<slug:public_id>": Row(ALL),
    "api/v1/submissions/<slug:public_id>/metrics": Row(ALL),
    "api/v1/submissions/<slug:public_id>/words": Row(REFUSED, ("", "?with={rival}", "?with=none")),
    "api/v1/submissions/<slug:public_id>/clips": Row(REFUSED, CLIP_QUERIES),
    "api/v1/submissions/<slug:public_id>/clips/<path:file_name>": Row(REFUSED),
    "api/v1/submissions/<slug:public_id>/choose": Row(
        (401, 404, 409, 404), method="POST", human=(401, 404, 404, 404)
    ),
    "api/v1/submissions/<slug:public_id>/withdraw": Row(
        (401, 404, 200, 404), method="POST", human=(401, 404, 404, 404)
    ),
    "api/v1/submissions/<slug:public_id>/take-back": Row(
        (401, 404, 200, 404), method="POST", human=(401, 404, 404, 404)
    ),
}

# These take no phase, but some show a little of the phases that a person has to do with.
OTHERS = {
    "",
    "docs/",
    "docs/<path:document>/",
    "docs/images/<str:picture>",
    "earmark-<str:version>-py3-none-any.whl",
    "healthz",
    "readyz",
    "prometheus",
    "metrics/",
    "metrics/agreement/",
    "metrics/try/",
    "metrics/<slug:name>/",
    "labellers/",
    "labellers/phases/",
    "labellers/<str:identity>/",
    "manage/",
    "manage/join/<slug:token>/",
    "manage/new/",
    "styleguide/",
    "teams/",
    "teams/new/",
    "teams/join/<slug:token>/",
    "teams/<slug:team>/",
    "notices/",
    "account/",
    "unsubscribe/<str:token>/",
    "account/tokens/",
    "api/v1/",
    "api/v1/openapi.json",
    "api/v1/docs",
    "api/v1/challenges",
    "api/v1/metrics",
    "api/v1/metrics/agreement",
    "api/v1/metrics/try",
    "api/v1/me",
    "api/v1/teams/<slug:team>",
    r"api/v1/^[\s\S]+$",
}
# Other apps, and the pages of organisers: not of phases, unless they take one.
ELSEWHERE = (
    *("accounts/", "admin/", "annotate/", "api/v1/labelling/"),
    "metrics/agreement/own/",
)
OF_A_PHASE = re.compile(r":(challenge|phase|public_id|submission)>")
