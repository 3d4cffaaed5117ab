"""A project of each kind of work but label words, with answers, a refusal and what it came from."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from annotation.models import Annotation, Project, Scheme, Sound
from annotation.selectors.judging.results import judging_results
from annotation.selectors.judging.votes import phase_of
from annotation.selectors.projects import worker_names
from annotation.selectors.stages.ratings import project_quality, rated_captions, rater_agreement
from annotation.selectors.work_items import work_file, work_files
from annotation.services.captions import answer_refuse
from annotation.services.formats.archive_reading import ArchiveReport, project_archive_read
from annotation.services.formats.project_archives import project_archive_download
from annotation.services.projects import ProjectAct
from annotation.services.sounds import sounds_add_zip
from leaderboard.models import Challenge, ReferenceSet, Submission, User
from tests.annotation.conftest import NOW
from tests.annotation.formats.conftest import HOUR
from tests.annotation.judging.conftest import Court, make_court
from tests.annotation.kinds.conftest import SOUNDS
from tests.annotation.stages.conftest import Chain, answer, make_chain, numbers, skipped
from tests.sounds import wav, zipped

TEXTS = (
    "rain falls on a roof while birds sing nearby {}",
    "heavy rain falls on a metal roof while a bird sings {}",
)
EDITED = "rain drums on a tin roof while birds are singing {}"


def worked_chain(folder: Path) -> Chain:
    """Captions written by two, edited by one, rated by two; one of each is refused."""
    chain = make_chain()
    one, other, editor, rater, second, spare, _ = (*chain.people, chain.manager)
    Sound.objects.all().delete()
    sounds = zipped({name: wav() for name in SOUNDS}, folder / "sounds.zip")
    act = ProjectAct(chain.manager, NOW)
    sounds_add_zip(project=chain.write, path=sounds, act=act)
    for at in range(len(SOUNDS)):
        for user, text in ((one, TEXTS[0]), (other, TEXTS[1])):
            chain.written(at, user, text.format(at))
    _refuse(chain.write, one, act)
    chain.written(0, spare, TEXTS[0].format("again"), comment="=is it?")
    chain.feed()
    for item in chain.edit.items.order_by("position"):
        answer(item, editor, {"text": EDITED.format(item.position), "heard": True})
    _refuse(chain.edit, editor, act)
    first = chain.edit.items.order_by("position")[0]
    answer(first, rater, {"text": TEXTS[0].format(9), "heard": True})
    chain.feed()
    for item in chain.rate.items.order_by("position"):
        answer(item, second, numbers(item, 4 - item.position, 2))
        answer(item, spare, numbers(item, 3, 1 + item.position))
    _refuse(chain.rate, spare, act)
    skipped(chain.rate.items.order_by("position")[0], rater)
    for project in chain.stages:
        project.refresh_from_db()
    return chain


def worked_court(folder: Path) -> Court:
    """Pairs of a phase judged by two, one vote refused."""
    court = make_court()
    court.judge_all()
    _refuse(court.project, court.ann, ProjectAct(court.manager, NOW))
    return court


def _refuse(project: Project, user: User, act: ProjectAct) -> None:
    first = Annotation.objects.filter(item__project=project, user=user).order_by("pk")[0]
    answer_refuse(annotation=first, note="too vague", seen=first.version, act=act)


MAKERS: dict[str, Callable[[Path], tuple[Project, User]]] = {
    "write": lambda folder: _of_chain(worked_chain(folder), 0),
    "edit": lambda folder: _of_chain(worked_chain(folder), 1),
    "rate": lambda folder: _of_chain(worked_chain(folder), 2),
    "judge": lambda folder: _of_court(worked_court(folder)),
}


def _of_chain(chain: Chain, at: int) -> tuple[Project, User]:
    return chain.stages[at], chain.manager


def _of_court(court: Court) -> tuple[Project, User]:
    return court.project, court.manager


def written(project: Project, file: Path, *, named: bool = True) -> Path:
    file.write_bytes(b"".join(project_archive_download(project, named=named).pieces))
    return file


def accounts_of(project: Project) -> dict[str, User]:
    """Who is who in the project's archive, on the same site."""
    members = {row.name: row.user for row in project.members.select_related("user")}
    users = {row.user.username: row.user for row in Annotation.objects.select_related("user")}
    return users | members


def made_of(
    file: Path, manager: User, people: dict[str, User] | None = None, source: Project | None = None
) -> tuple[Project, ArchiveReport]:
    act = ProjectAct(manager, NOW + HOUR)
    return project_archive_read(path=file, act=act, people=people, source=source)


def nothing_left() -> None:
    """Have the site be another one, which has nothing of all that."""
    Scheme.objects.update(previous=None, restores=None)
    for rows in (Project, Scheme, Submission, Challenge, ReferenceSet, User):
        rows.objects.all().delete()


def files_of(project: Project) -> dict[str, bytes]:
    """Every file that the project's answers can be had as."""
    return {name: b"".join(work_file(project, name).pieces) for name in work_files(project)}


def results_of(project: Project, *, named: bool = True) -> Iterator[Any]:
    """What the pages of the project say of its answers, without ids of this site."""
    names = worker_names(project)
    answers = Annotation.objects.filter(item__project=project).order_by("item__position", "pk")
    yield [(names[row.user_id], row.value, row.counts, row.refused_id is None) for row in answers]
    if project.kind == "rate":
        yield [(clip.file_name, clip.captions, clip.missing) for clip in rated_captions(project)]
        yield rater_agreement(project)
        people, _ = project_quality(project)
        yield {names[user]: row for user, row in people.items()}
    if project.kind == "judge":
        found = judging_results(project, phase_of(project), named=named)
        yield found.facets, found.nominal, found.ordinal
        yield [(row.name, row.strength, row.interval, row.votes) for row in found.systems]
        yield [(row.name, row.first, row.agreement.agreed) for row in found.judges]
