"""Who may ask for what: the answer of every address to each of ``one_of_everything.PEOPLE``.

Codes stand for: anonymous, outsider, member of the team, its owner, organiser, organiser of
another challenge, staff without rights, superuser. The organiser also manages the labelling
project. 302 leads the anonymous to the log-in, and others on after an act; 404 is the answer
to who may not know that there is something; 422 tells who may act what is missing. A new
address needs a thought about who may use it, and a row.
"""

Codes = tuple[int, int, int, int, int, int, int, int]

# Everyone reads it.
ANYONE: Codes = (200, 200, 200, 200, 200, 200, 200, 200)
# Everyone who is logged in.
LOGGED_IN: Codes = (302, 200, 200, 200, 200, 200, 200, 200)
# Behind the log-in, but not by this method.
NO_METHOD_IN: Codes = (302, 405, 405, 405, 405, 405, 405, 405)
# Not by this method.
NO_METHOD: Codes = (405, 405, 405, 405, 405, 405, 405, 405)
# Leads everyone on: to log in, or to the page of the thing.
LEADS_ON: Codes = (302, 302, 302, 302, 302, 302, 302, 302)
# There is none here.
NOTHING: Codes = (404, 404, 404, 404, 404, 404, 404, 404)
# There is none here, behind the log-in.
NOTHING_IN: Codes = (302, 404, 404, 404, 404, 404, 404, 404)
# Who runs the challenge or project, and superusers.
RUNS_READS: Codes = (302, 404, 404, 404, 200, 404, 404, 200)
# The same, before it is published for everyone.
RUNS_ALONE: Codes = (404, 404, 404, 404, 200, 404, 404, 200)
# The same; the act leads on.
RUNS_ACTS: Codes = (302, 404, 404, 404, 302, 404, 404, 302)
# The same; an empty form is told its faults.
RUNS_WRITES: Codes = (302, 404, 404, 404, 422, 404, 404, 422)
# The same, where there is nothing to do.
RUNS_MOOT: Codes = (302, 404, 404, 404, 409, 404, 404, 409)
# Who runs any challenge or project, and staff: they may make projects and data sets.
MAKES_READS: Codes = (302, 404, 404, 404, 200, 200, 200, 200)
# The same; an empty form is told its faults.
MAKES_WRITES: Codes = (302, 404, 404, 404, 422, 422, 422, 422)
# Everyone who is logged in; an empty form is told its faults.
IN_WRITES: Codes = (302, 422, 422, 422, 422, 422, 422, 422)
# Everyone; an empty question is told its faults.
FAULTY: Codes = (422, 422, 422, 422, 422, 422, 422, 422)
# Everyone with a token; an empty form is told its faults.
API_FAULTY: Codes = (401, 422, 422, 422, 422, 422, 422, 422)
# Everyone with a token.
API_IN: Codes = (401, 200, 200, 200, 200, 200, 200, 200)
# Who runs the project, and superusers.
API_RUNS: Codes = (401, 404, 404, 404, 200, 404, 404, 200)
# The same; told what is missing, or that there is nothing to do.
# There is none here, behind a token.
API_NOTHING: Codes = (401, 404, 404, 404, 404, 404, 404, 404)
# Who labels in the project; superusers do not by being it.
API_LABELS: Codes = (401, 404, 404, 404, 200, 404, 404, 404)
# The same on pages.
LABELS: Codes = (302, 404, 404, 404, 200, 404, 404, 404)
# The team alone.
TEAM_READS: Codes = (302, 404, 200, 200, 404, 404, 404, 404)
# The same; the act leads on.
TEAM_ACTS: Codes = (302, 404, 302, 302, 404, 404, 404, 404)
# The team alone, by token.
API_TEAM: Codes = (401, 404, 200, 200, 404, 404, 404, 404)
# The team, and who runs the challenge.
TEAM_AND_RUNS: Codes = (302, 404, 200, 200, 200, 404, 404, 200)
# Owners of the team; the act leads on.
OWNER_ACTS: Codes = (302, 404, 404, 302, 404, 404, 404, 404)
# Owners of the team.
OWNER_READS: Codes = (302, 404, 404, 200, 404, 404, 404, 404)
# The person whose it is, here the member; the act leads on.
MINE: Codes = (302, 404, 302, 404, 404, 404, 404, 404)
# The member whose judgments they are, and superusers.
OWN_READS: Codes = (302, 404, 200, 404, 404, 404, 404, 200)
OWN_ACTS: Codes = (302, 404, 302, 404, 404, 404, 404, 302)

# Organisers of any challenge, managers of labelling projects, and superusers.
LABELLERS: Codes = (302, 404, 404, 404, 200, 200, 404, 200)
# Of those, who may choose the labeller in use; the act leads on.
LABELLERS_ACT: Codes = (302, 404, 404, 404, 403, 403, 404, 302)
# The same by token.

Answers = dict[str, Codes]


def page(get: Codes, post: Codes, **acts: Codes | Answers) -> Answers:
    """A page with a form; ``acts`` are posted to it, too, and some have a page of their own."""
    answers = {"GET": get, "POST": post}
    for act, codes in acts.items():
        each = codes if isinstance(codes, dict) else {"POST": codes}
        answers |= {f"{way} {act}": found for way, found in each.items()}
    return answers


def reads(codes: Codes, **acts: Codes | Answers) -> Answers:
    """A page that is only read, but for ``acts``."""
    return page(codes, NO_METHOD_IN if codes[0] == 302 else NO_METHOD, **acts)


def acts(codes: Codes) -> Answers:
    """An address that is only sent to, by who is logged in."""
    return page(NO_METHOD_IN, codes)


# Leads everyone to where it stands today, which says who may see it.
_ON: Codes = (301, 301, 301, 301, 301, 301, 301, 301)
MOVED = page(_ON, _ON)

ROUTES: dict[str, Answers] = {
    "": reads(ANYONE),
    "account/": reads(
        LOGGED_IN,
        # The member wants none of the challenge.
        announcements=MINE,
        delete=page(LOGGED_IN, IN_WRITES),
        export=reads(LOGGED_IN),
        name=IN_WRITES,
        notices=LEADS_ON,
    ),
    "account/tokens/": reads(LOGGED_IN, new=IN_WRITES, delete=MINE),
    "annotate/": reads(LOGGED_IN),
    "annotate/<slug:project>/": reads(LABELS),
    "annotate/<slug:project>/adjudicate/": reads(RUNS_READS),
    "annotate/<slug:project>/adjudicate/<int:item_id>/": reads(RUNS_READS),
    # Who did not see what is settled takes nothing back.
    "annotate/<slug:project>/adjudicate/<int:item_id>/reopen/": acts(RUNS_MOOT),
    "annotate/<slug:project>/adjudicate/<int:item_id>/settle/": acts(RUNS_WRITES),
    "annotate/<slug:project>/adjudicate/single/": acts(RUNS_ACTS),
    "annotate/<slug:project>/adjudicate/start/": acts(RUNS_ACTS),
    "annotate/<slug:project>/agreement/": reads(RUNS_READS),
    "annotate/<slug:project>/agreement/captions/": reads(NOTHING_IN),
    "annotate/<slug:project>/captions/": reads(RUNS_READS),
    "annotate/<slug:project>/captions/<int:item_id>/": reads(RUNS_READS),
    "annotate/<slug:project>/captions/selection/": page(LEADS_ON, RUNS_ACTS),
    "annotate/<slug:project>/export/": reads(RUNS_READS),
    "annotate/<slug:project>/guidelines/": reads(RUNS_READS),
    "annotate/<slug:project>/history/": reads(LABELS),
    "annotate/<slug:project>/manage/": reads(RUNS_READS),
    # The labelling project of the table has captions.
    "annotate/<slug:project>/manage/answers/": reads(NOTHING_IN),
    "annotate/<slug:project>/manage/answers/<int:pk>/": page(NOTHING_IN, NOTHING_IN),
    "annotate/<slug:project>/manage/answers/again/<int:item_id>/": acts(NOTHING_IN),
    "annotate/<slug:project>/manage/answers/results/": reads(NOTHING_IN),
    # Nothing feeds the project.
    "annotate/<slug:project>/manage/update/": acts(NOTHING_IN),
    "annotate/<slug:project>/manage/archive/": page(RUNS_READS, RUNS_ACTS),
    "annotate/<slug:project>/manage/delete/": page(RUNS_READS, RUNS_WRITES),
    "annotate/<slug:project>/manage/hand-over/": acts(NOTHING_IN),
    "annotate/<slug:project>/manage/captions/": page(RUNS_READS, RUNS_WRITES),
    "annotate/<slug:project>/manage/files/": reads(RUNS_READS),
    "annotate/<slug:project>/manage/files/archive/": acts(RUNS_READS),
    "annotate/<slug:project>/manage/imports/<int:pk>/": page(RUNS_READS, RUNS_ACTS),
    "annotate/<slug:project>/manage/imports/<int:pk>/undo/": page(RUNS_READS, RUNS_WRITES),
    "annotate/<slug:project>/manage/members/": page(RUNS_READS, RUNS_WRITES),
    "annotate/<slug:project>/manage/members/invite/": page(RUNS_ACTS, RUNS_WRITES),
    "annotate/<slug:project>/manage/members/invitations/<int:pk>/withdraw/": acts(RUNS_ACTS),
    "annotate/<slug:project>/manage/members/<int:pk>/": page(RUNS_READS, RUNS_ACTS),
    # Whoever can log in is no session of a file.
    "annotate/<slug:project>/manage/members/<int:pk>/session/": page(NOTHING_IN, NOTHING_IN),
    "annotate/<slug:project>/manage/settings/": page(RUNS_READS, RUNS_WRITES),
    # Nor are they pairs to be judged.
    "annotate/<slug:project>/manage/pairs/": page(NOTHING_IN, NOTHING_IN),
    "annotate/<slug:project>/manage/results/": reads(NOTHING_IN),
    "annotate/<slug:project>/manage/results/measure/": acts(NOTHING_IN),
    "annotate/<slug:project>/manage/sounds/": page(RUNS_READS, RUNS_WRITES),
    "annotate/<slug:project>/manage/sounds/remove/": page(RUNS_READS, RUNS_ACTS),
    "annotate/<slug:project>/manage/state/": page(RUNS_READS, RUNS_ACTS),
    "annotate/<slug:project>/models/": page(RUNS_READS, RUNS_WRITES),
    "annotate/<slug:project>/models/amount/": reads(RUNS_READS),
    "annotate/<slug:project>/models/<int:number>/": reads(RUNS_READS),
    "annotate/<slug:project>/models/<int:number>/again/": acts(RUNS_ACTS),
    "annotate/<slug:project>/models/<int:number>/cancel/": acts(RUNS_ACTS),
    "annotate/<slug:project>/models/<int:number>/captions/": reads(RUNS_READS),
    "annotate/<slug:project>/models/<int:number>/data/": reads(RUNS_READS),
    "annotate/<slug:project>/models/<int:number>/progress/": reads(RUNS_READS),
    "annotate/<slug:project>/quality/": reads(RUNS_READS),
    "annotate/<slug:project>/qualification/": page(LABELS, NOTHING_IN),
    "annotate/<slug:project>/quality/captions/": page(RUNS_ACTS, RUNS_ACTS),
    "annotate/<slug:project>/quality/captions/<int:pk>/remove/": page(RUNS_READS, RUNS_ACTS),
    "annotate/<slug:project>/quality/let-in/<int:pk>/": page(RUNS_ACTS, RUNS_ACTS),
    "annotate/<slug:project>/quality/rules/": page(RUNS_ACTS, RUNS_WRITES),
    "annotate/<slug:project>/quality/tests/": page(RUNS_ACTS, RUNS_ACTS),
    # Without the version that was changed nothing is.
    "annotate/<slug:project>/scheme/": page(RUNS_READS, RUNS_MOOT),
    "annotate/<slug:project>/scheme/file/": reads(RUNS_READS),
    "annotate/<slug:project>/scheme/start/": page(RUNS_ACTS, RUNS_WRITES),
    "annotate/<slug:project>/sounds/<int:pk>/": reads(RUNS_READS),
    "annotate/data-sets/": reads(LOGGED_IN),
    "annotate/data-sets/choose/": page(MAKES_READS, MAKES_WRITES),
    "annotate/data-sets/new/": page(MAKES_READS, MAKES_WRITES),
    "annotate/data-sets/<slug:data_set>/": reads(RUNS_READS),
    "annotate/data-sets/<slug:data_set>/card/": page(RUNS_READS, RUNS_ACTS),
    "annotate/data-sets/<slug:data_set>/files/": reads(RUNS_READS),
    "annotate/data-sets/<slug:data_set>/publish/": page(RUNS_READS, RUNS_WRITES),
    "annotate/data-sets/<slug:data_set>/split/": page(RUNS_READS, RUNS_WRITES),
    # The data set of the table was never split.
    "annotate/data-sets/<slug:data_set>/split/cancel/": acts(NOTHING_IN),
    "annotate/data-sets/<slug:data_set>/split/progress/": reads(NOTHING_IN),
    "annotate/data-sets/<slug:data_set>/statistics/": reads(RUNS_READS),
    "annotate/data-sets/<slug:data_set>/captions/<int:caption>/": page(RUNS_READS, RUNS_WRITES),
    "annotate/data-sets/<slug:data_set>/decisions/": reads(RUNS_READS),
    "annotate/data-sets/<slug:data_set>/decisions/<int:decision>/take-back/": acts(RUNS_ACTS),
    "annotate/data-sets/<slug:data_set>/fill/": acts(RUNS_WRITES),
    "annotate/data-sets/<slug:data_set>/findings/": reads(RUNS_READS),
    "annotate/data-sets/<slug:data_set>/findings/<int:finding>/": page(RUNS_READS, RUNS_WRITES),
    "annotate/data-sets/<slug:data_set>/findings/check/": acts(RUNS_WRITES),
    "annotate/data-sets/<slug:data_set>/findings/progress/": reads(RUNS_READS),
    "annotate/join/<slug:token>/": page(LOGGED_IN, LEADS_ON),
    "annotate/new/": page(MAKES_READS, MAKES_WRITES),
    "annotate/new/archive/": page(MAKES_READS, MAKES_WRITES),
    "annotate/new/collect/": page(MAKES_READS, MAKES_WRITES),
    "annotate/new/work/<slug:kind>/": page(MAKES_READS, MAKES_WRITES),
    # An archive waits for whoever sent it alone.
    "annotate/new/archive/<slug:archive>/": page(NOTHING_IN, NOTHING_IN),
    "api/v1/": {"GET": LEADS_ON},
    "api/v1/challenges": {"GET": ANYONE},
    "api/v1/challenges/<slug:challenge>": {"GET": ANYONE},
    "api/v1/challenges/<slug:challenge>/leaderboards": {"GET": ANYONE},
    "api/v1/docs": {"GET": ANYONE},
    "api/v1/labelling/<slug:project>/agreement": {"GET": API_RUNS},
    "api/v1/labelling/<slug:project>/export": {"GET": API_RUNS},
    "api/v1/labelling/<slug:project>/history": {"GET": API_LABELS},
    "api/v1/labelling/<slug:project>/import": {"POST": API_FAULTY},
    "api/v1/labelling/<slug:project>/items/<int:item_id>": {"GET": API_LABELS},
    "api/v1/labelling/<slug:project>/items/<int:item_id>/versions": {"GET": API_LABELS},
    "api/v1/labelling/<slug:project>/items/<int:item_id>/annotation": {"PUT": API_NOTHING},
    "api/v1/labelling/<slug:project>/keys": {"PUT": API_LABELS},
    "api/v1/labelling/<slug:project>/own": {"GET": API_LABELS},
    # The labelling project of the table has captions, for which nobody writes a text.
    "api/v1/labelling/<slug:project>/check": {"POST": API_NOTHING},
    "api/v1/labelling/<slug:project>/judging": {"GET": API_NOTHING},
    "api/v1/labelling/<slug:project>/tasks": {"POST": API_LABELS},
    "api/v1/me": {"GET": API_IN},
    "api/v1/metrics": {"GET": ANYONE},
    "api/v1/metrics/agreement": {"GET": ANYONE},
    "api/v1/metrics/try": {"POST": FAULTY},
    "api/v1/openapi.json": {"GET": ANYONE},
    "api/v1/phases/<slug:challenge>/<slug:phase>": {"GET": ANYONE},
    "api/v1/phases/<slug:challenge>/<slug:phase>/analysis": {"GET": ANYONE},
    "api/v1/phases/<slug:challenge>/<slug:phase>/judges": {"GET": RUNS_ALONE},
    "api/v1/phases/<slug:challenge>/<slug:phase>/clips": {"GET": ANYONE},
    "api/v1/phases/<slug:challenge>/<slug:phase>/compare": {"GET": FAULTY},
    "api/v1/phases/<slug:challenge>/<slug:phase>/distributions": {"GET": ANYONE},
    "api/v1/phases/<slug:challenge>/<slug:phase>/history": {"GET": ANYONE},
    "api/v1/phases/<slug:challenge>/<slug:phase>/leaderboard": {"GET": ANYONE},
    "api/v1/phases/<slug:challenge>/<slug:phase>/submissions": {"POST": API_FAULTY},
    "api/v1/phases/<slug:challenge>/<slug:phase>/references": {"GET": ANYONE},
    "api/v1/phases/<slug:challenge>/<slug:phase>/starter-kit": {"GET": ANYONE},
    "api/v1/phases/<slug:challenge>/<slug:phase>/words": {"GET": ANYONE},
    "api/v1/submissions/<slug:public_id>": {
        "GET": ANYONE,
        "PATCH": (401, 404, 200, 200, 200, 404, 404, 200),
    },
    "api/v1/submissions/<slug:public_id>/choose": {
        "POST": (401, 404, 409, 409, 404, 404, 404, 404)
    },
    "api/v1/submissions/<slug:public_id>/clips": {"GET": ANYONE},
    "api/v1/submissions/<slug:public_id>/clips/<path:file_name>": {"GET": ANYONE},
    "api/v1/submissions/<slug:public_id>/metrics": {"GET": ANYONE},
    "api/v1/submissions/<slug:public_id>/take-back": {"POST": API_TEAM},
    "api/v1/submissions/<slug:public_id>/withdraw": {"POST": API_TEAM},
    "api/v1/submissions/<slug:public_id>/words": {"GET": ANYONE},
    "api/v1/teams/<slug:team>": {"GET": ANYONE},
    "audio/<int:reference_set>/<int:number>/": reads(NOTHING),
    "c/<slug:challenge>/": reads(ANYONE),
    "c/<slug:challenge>/images/<slug:sha256>.webp": reads(ANYONE),
    "c/<slug:challenge>/phases/": reads(ANYONE),
    "c/<slug:challenge>/results.zip": reads(ANYONE),
    "c/<slug:challenge>/<slug:phase>/results.zip": reads(ANYONE),
    "c/<slug:challenge>/<slug:phase>/": reads(ANYONE),
    # There from two ranked systems on (test_share_pictures).
    "c/<slug:challenge>/<slug:phase>/share.png": reads(NOTHING),
    "c/<slug:challenge>/<slug:phase>/analysis/": reads(ANYONE),
    "c/<slug:challenge>/<slug:phase>/judges/": reads(RUNS_ALONE, publish=RUNS_ACTS),
    "c/<slug:challenge>/<slug:phase>/judges/<int:pk>/wrong/<slug:name>/": reads(RUNS_READS),
    "c/<slug:challenge>/<slug:phase>/compare/": reads(ANYONE),
    "c/<slug:challenge>/<slug:phase>/distributions/": reads(ANYONE),
    "c/<slug:challenge>/<slug:phase>/pair/": reads(ANYONE),
    "c/<slug:challenge>/<slug:phase>/starter-kit.zip": reads(ANYONE),
    "c/<slug:challenge>/<slug:phase>/export/": reads(ANYONE),
    "c/<slug:challenge>/<slug:phase>/history/": reads(ANYONE),
    "c/<slug:challenge>/<slug:phase>/lab/": page(RUNS_READS, RUNS_WRITES),
    "c/<slug:challenge>/<slug:phase>/rankings/": MOVED,
    "c/<slug:challenge>/<slug:phase>/rankings/<int:pk>.json": MOVED,
    "c/<slug:challenge>/<slug:phase>/rankings/<int:pk>/": reads(ANYONE),
    "c/<slug:challenge>/<slug:phase>/submit/": page(LOGGED_IN, IN_WRITES),
    "c/<slug:challenge>/<slug:phase>/submit/check/": acts(IN_WRITES),
    "c/<slug:challenge>/<slug:phase>/template.csv": reads(LOGGED_IN),
    "c/<slug:challenge>/<slug:phase>/references/": reads(ANYONE),
    "c/<slug:challenge>/<slug:phase>/words/": reads(ANYONE),
    "docs/": reads(ANYONE),
    "docs/<path:document>/": reads(ANYONE),
    "docs/images/<str:picture>": reads(ANYONE),
    "earmark-<str:version>-py3-none-any.whl": reads(ANYONE),
    "healthz": reads(ANYONE),
    "readyz": reads(ANYONE),
    # There for nobody until a token or networks are configured (test_prometheus).
    "prometheus": reads(NOTHING),
    "labellers/": reads(LABELLERS, roll_back=LABELLERS_ACT),
    "labellers/<str:identity>/": reads(
        LABELLERS,
        # The one that comes with the installation is nobody's to delete.
        delete=(302, 404, 404, 404, 403, 403, 404, 404),
        use=page(
            (302, 404, 404, 404, 403, 403, 404, 200), (302, 404, 404, 404, 403, 403, 404, 422)
        ),
    ),
    "labellers/phases/": MOVED,
    "manage/": reads(LOGGED_IN),
    "manage/<slug:challenge>/": reads(RUNS_READS, publish=RUNS_ACTS, delete=RUNS_MOOT),
    "manage/<slug:challenge>/<slug:phase>/": page(
        RUNS_READS, RUNS_WRITES, move=RUNS_ACTS, delete=RUNS_MOOT
    ),
    "manage/<slug:challenge>/<slug:phase>/audio/": page(
        RUNS_READS, RUNS_WRITES, address=RUNS_ACTS, delete=RUNS_ACTS
    ),
    "manage/<slug:challenge>/<slug:phase>/outside/": page(RUNS_READS, RUNS_WRITES, off=RUNS_ACTS),
    "manage/<slug:challenge>/<slug:phase>/ranking/": reads(
        RUNS_READS, freeze=RUNS_ACTS, wait=RUNS_ACTS, cancel=RUNS_ACTS, reveal=RUNS_ACTS
    ),
    "manage/<slug:challenge>/<slug:phase>/references/": page(
        RUNS_READS, RUNS_WRITES, use=RUNS_ACTS, discard=RUNS_ACTS
    ),
    "manage/<slug:challenge>/<slug:phase>/rescoring/": page(
        RUNS_READS,
        RUNS_WRITES,
        **dict.fromkeys(
            ("labeller", "composite", "publish", "retry", "discard", "back"), RUNS_ACTS
        ),
    ),
    "manage/<slug:challenge>/<slug:phase>/rescoring/progress/": reads(RUNS_READS),
    "manage/<slug:challenge>/announcements/": page(RUNS_READS, RUNS_WRITES),
    "manage/<slug:challenge>/announcements/<int:pk>/": page(
        RUNS_READS, RUNS_WRITES, delete=RUNS_ACTS, mail=RUNS_ACTS
    ),
    "manage/<slug:challenge>/audit.csv": reads(RUNS_READS),
    "manage/<slug:challenge>/audit/": reads(RUNS_READS),
    "manage/<slug:challenge>/people/participants.csv": reads(RUNS_READS),
    "manage/<slug:challenge>/people/participants/": reads(RUNS_READS),
    "manage/<slug:challenge>/people/participants/<int:pk>/": page(RUNS_READS, RUNS_WRITES),
    "manage/<slug:challenge>/people/": page(
        RUNS_READS, RUNS_WRITES, remove=RUNS_ACTS, revoke=RUNS_ACTS
    ),
    "manage/<slug:challenge>/phases/": reads(RUNS_READS),
    "manage/<slug:challenge>/phases/new/": page(RUNS_READS, RUNS_WRITES),
    "manage/<slug:challenge>/submissions/": reads(RUNS_READS, retry=RUNS_ACTS),
    "manage/<slug:challenge>/submissions/<slug:public_id>/": reads(
        RUNS_READS,
        retry=RUNS_ACTS,
        # No reason is given.
        disqualify=RUNS_WRITES,
        restore=RUNS_ACTS,
        mark=RUNS_ACTS,
    ),
    "manage/<slug:challenge>/text/": page(RUNS_READS, RUNS_WRITES),
    "manage/<slug:challenge>/text/images/": page(
        RUNS_READS, RUNS_WRITES, logo=RUNS_ACTS, delete=RUNS_ACTS
    ),
    "manage/<slug:challenge>/text/preview/": acts(RUNS_READS),
    "manage/join/<slug:token>/": page(LOGGED_IN, LEADS_ON),
    "manage/new/": page(
        (302, 404, 404, 404, 404, 404, 404, 200), (302, 404, 404, 404, 404, 404, 404, 422)
    ),
    "metrics/": reads(ANYONE),
    "metrics/<slug:name>/": reads(ANYONE),
    "metrics/agreement/": reads(ANYONE),
    "metrics/agreement/own/": page(LOGGED_IN, IN_WRITES),
    "metrics/agreement/own/<int:pk>/": reads(OWN_READS, delete=OWN_ACTS),
    "metrics/agreement/own/<int:pk>/wrong/<slug:name>/": reads(OWN_READS),
    "metrics/try/": page(ANYONE, FAULTY),
    "notices/": reads(LOGGED_IN, open=reads(MINE), read=LEADS_ON),
    "s/<slug:public_id>/about/": reads(ANYONE),
    "s/<slug:public_id>/": reads(
        ANYONE,
        choose=page(TEAM_READS, (302, 404, 409, 409, 404, 404, 404, 404)),
        retry=(302, 404, 302, 302, 302, 404, 404, 302),
        take_back=page(TEAM_READS, TEAM_ACTS),
        withdraw=page(TEAM_READS, TEAM_ACTS),
    ),
    "s/<slug:public_id>/clips/": reads(ANYONE),
    "s/<slug:public_id>/clips/<int:number>/": reads(ANYONE),
    "s/<slug:public_id>/edit/": page(TEAM_AND_RUNS, (302, 404, 422, 422, 422, 404, 404, 422)),
    "s/<slug:public_id>/file/": reads(TEAM_AND_RUNS),
    "s/<slug:public_id>/metadata.yaml": reads(ANYONE),
    "s/<slug:public_id>/profile/": reads(ANYONE),
    "s/<slug:public_id>/progress/": reads(ANYONE),
    "s/<slug:public_id>/report/": reads(NOTHING),
    "s/<slug:public_id>/words/": reads(ANYONE),
    "styleguide/": reads((404, 404, 404, 404, 404, 404, 404, 404)),
    "take-part/<slug:challenge>/": page(LOGGED_IN, IN_WRITES),
    "teams/": reads(LOGGED_IN, new=page(LOGGED_IN, IN_WRITES)),
    "teams/<slug:team>/": reads(
        ANYONE,
        edit=page(
            (302, 404, 404, 200, 200, 404, 404, 200), (302, 404, 404, 422, 422, 404, 404, 422)
        ),
        invite=OWNER_ACTS,
        revoke=OWNER_ACTS,
        leave=page(TEAM_READS, (302, 404, 302, 409, 404, 404, 404, 404)),
        hand_over=page(OWNER_READS, OWNER_ACTS),
        remove=page(OWNER_READS, OWNER_ACTS),
        role=OWNER_ACTS,
    ),
    "teams/join/<slug:token>/": page(LOGGED_IN, LEADS_ON, decline=NOTHING_IN),
    "teams/new/": MOVED,
    # The signed link is the right, also without a log-in.
    "unsubscribe/<str:token>/": page(ANYONE, ANYONE),
}

# By method and route; "POST retry" is the act ``retry``, "GET leave" the question of another.
TABLE: dict[tuple[str, str], Codes] = {
    (method, route): codes for route, answers in ROUTES.items() for method, codes in answers.items()
}
