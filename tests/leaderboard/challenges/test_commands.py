"""Protect the commands: what they store, what they say, and that they store nothing by halves."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles.finders import FileSystemFinder
from django.core.management import CommandError, call_command
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from leaderboard.management.commands.prepare import static_files_collect
from leaderboard.models import Challenge, Kind, Phase, ReferenceSet, Submission, Team
from tests.earmark.packages.files import LABEL, package
from tests.factories import CANDIDATES, PhaseFactory, TeamFactory, finish, submit
from tests.leaderboard.conftest import Cast

REFERENCES = (
    "file_name,caption_1,caption_2\n"
    "rain.wav,Rain falls on a roof.,Heavy rain drums.\n"
    "dog.wav,A dog barks.,A large dog is barking.\n"
)


def run(command: str, *args: Any, **options: Any) -> tuple[str, str]:
    """Run a command; give what it wrote to standard output and to standard error."""
    out, err = StringIO(), StringIO()
    try:
        call_command(command, *map(str, args), stdout=out, stderr=err, **options)
    except CommandError as error:
        error.args = (f"{error}", out.getvalue(), err.getvalue())
        raise
    return out.getvalue(), err.getvalue()


@pytest.fixture
def references(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.csv"
    path.write_text(REFERENCES)
    return path


@pytest.fixture
def candidates(tmp_path: Path) -> Path:
    path = tmp_path / "listener.csv"
    path.write_bytes(CANDIDATES)
    return path


def test_references_make_what_is_missing_and_say_so(db: None, references: Path) -> None:
    out, _ = run("import_references", references, "--challenge", "sounds", "--phase", "open-1")
    phase = Phase.objects.get(challenge__slug="sounds", slug="open-1")
    assert phase.challenge.published
    assert not phase.references_public, "references are hidden unless someone says otherwise"
    assert phase.reference_set is not None
    assert (phase.reference_set.name, phase.reference_set.clip_count) == ("tiny", 2)
    assert 'Created the challenge sounds ("Sounds"), visible to everyone.' in out
    assert "hidden references" in out
    assert "2 clips, 4 captions" in out


def test_the_human_row_can_be_left_out_and_references_again_change_nothing(
    db: None, references: Path
) -> None:
    where = ("--challenge", "a", "--phase", "b")
    flags = ("--unpublished", "--public-references", "--name", "Split 1", "--no-human-row")
    run("import_references", references, *where, *flags)
    phase = Phase.objects.select_related("challenge", "reference_set").get()
    assert phase.reference_set is not None
    assert (phase.challenge.published, phase.references_public) == (False, True)
    assert phase.reference_set.name == "Split 1"
    assert not Submission.objects.exists()
    for _ in range(2):
        out, _ = run("import_references", references, *where)
        assert "Created" not in out
        # Those of the phase, and those of its human row.
        assert ReferenceSet.objects.count() == 2
        assert Submission.objects.get().kind == Kind.HUMAN


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("nope/b --no-create", "There is no challenge nope. Known: a."),
        ("a/nope --no-create", "It has: b."),
        ("a/not_a slug", "slug"),
    ],
)
def test_nothing_is_made_where_that_is_refused(
    db: None, references: Path, asked: str, said: str
) -> None:
    run("import_references", references, "--challenge", "a", "--phase", "b")
    place, *more = asked.split(" --")
    challenge, phase = place.split("/")
    flags = [f"--{flag}" for flag in more]
    with pytest.raises(CommandError, match=said):
        run("import_references", references, "--challenge", challenge, "--phase", phase, *flags)
    assert (Challenge.objects.count(), Phase.objects.count()) == (1, 1)


def test_faults_of_references_stand_one_per_line(db: None, tmp_path: Path) -> None:
    path = tmp_path / "faulty.csv"
    path.write_text(REFERENCES + "dog.wav,A dog again.,Another dog.\n,No name.,None.\n")
    with pytest.raises(CommandError, match="Nothing was stored") as refused:
        run("import_references", path, "--challenge", "a", "--phase", "b")
    lines = refused.value.args[2].splitlines()
    assert len(lines) >= 2
    assert all(line.startswith(("error: ", "warning: ")) for line in lines)
    assert any(line.startswith("error: line 5") for line in lines)
    assert not Challenge.objects.exists()


def test_references_under_scores_are_not_swapped(cast: Cast, references: Path) -> None:
    submit(cast.phase, cast.team)
    before = cast.phase.reference_set_id
    where = ("--challenge", cast.phase.challenge.slug, "--phase", cast.phase.slug)
    with pytest.raises(CommandError, match="already has submissions"):
        run("import_references", references, *where)
    cast.phase.refresh_from_db()
    assert cast.phase.reference_set_id == before
    assert ReferenceSet.objects.count() == 1


def test_a_file_is_submitted_under_its_name_and_a_package_under_that_of_its_metadata(
    cast: Cast,
    candidates: Path,
    tmp_path: Path,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    packed = tmp_path / "handed-in.zip"
    packed.write_bytes(package(csv=CANDIDATES))
    for path, name, label in ((candidates, "listener", ""), (packed, "Careful listener", LABEL)):
        with django_capture_on_commit_callbacks() as sent:
            out, _ = run("submit", path, "--phase", cast.phase.slug, "--team", cast.team.slug)
        stored = Submission.objects.latest("pk")
        assert f"Submitted {stored.public_id}: " in out
        assert (stored.system_name, stored.label, stored.team) == (name, label, cast.team)
        assert stored.submitted_by is None
        assert len(sent) == 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"--phase": "nope"}, "Known: {known}"),
        ({"--team": "Not A Slug"}, "cannot be a team's slug"),
        ({"--team": "new", "--owner": "nobody"}, "There is no user nobody"),
        ({"--team": "taken"}, "already a team"),
        ({"file": "no.csv"}, "cannot be read"),
        ({}, "0 of 0 submissions left"),
    ],
)
def test_what_cannot_be_submitted_is_told(
    cast: Cast, candidates: Path, changed: dict[str, str], said: str
) -> None:
    TeamFactory.create(name="Taken", slug="other")
    cast.rules(quota_total=None if changed else 0)
    options = {"--phase": cast.phase.slug, "--team": cast.team.slug} | changed
    file = options.pop("file", candidates)
    known = f"{cast.phase.challenge.slug}/{cast.phase.slug}"
    with pytest.raises(CommandError, match=said.format(known=known)):
        run("submit", file, *(part for pair in options.items() for part in pair))
    assert Team.objects.count() == 2
    assert not Submission.objects.exists()


def test_a_phase_that_is_ambiguous_must_be_named_in_full(cast: Cast, candidates: Path) -> None:
    slug = cast.phase.slug
    other = PhaseFactory.create(slug=slug)
    team = ("--team", cast.team.slug)
    with pytest.raises(CommandError, match=f"Several.*{other.challenge.slug}/{slug}"):
        run("submit", candidates, "--phase", slug, *team)
    run("submit", candidates, "--phase", f"{other.challenge.slug}/{slug}", *team)
    run("submit", candidates, "--phase", slug, "--challenge", cast.phase.challenge.slug, *team)
    phases = set(Submission.objects.values_list("phase", flat=True))
    assert phases == {cast.phase.pk, other.pk}


def test_a_missing_team_is_made_unless_that_is_refused(cast: Cast, candidates: Path) -> None:
    place = ("--phase", cast.phase.slug, "--team", "newcomers")
    with pytest.raises(CommandError, match="There is no team newcomers"):
        run("submit", candidates, *place, "--no-create")
    assert not Team.objects.filter(slug="newcomers").exists()
    run("submit", candidates, *place, "--owner", cast.outsider.username)
    team = Team.objects.get(slug="newcomers")
    assert list(team.members.all()) == [cast.outsider]
    run("submit", candidates, *place)
    assert team.submissions.count() == 2


def test_a_file_with_faults_leaves_nothing_behind(cast: Cast, tmp_path: Path) -> None:
    path = tmp_path / "faulty.csv"
    path.write_text("file_name,caption_predicted\nrain.wav,\nunknown.wav,a sound\n")
    place = ("--phase", cast.phase.slug, "--team", "newcomers")
    with pytest.raises(CommandError, match="no quota was used") as refused:
        run("submit", path, *place)
    lines = refused.value.args[2].splitlines()
    assert any(line.startswith("error: line 2, column caption_predicted") for line in lines)
    assert any(line.startswith("error: line 3") for line in lines)
    assert not Team.objects.filter(slug="newcomers").exists()
    assert not Submission.objects.exists()


def test_waiting_ends_with_the_scores(
    cast: Cast, candidates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "leaderboard.management.commands.submit.submission_enqueue",
        lambda submission: finish(submission, value=0.5),
    )
    place = ("--phase", cast.phase.slug, "--team", cast.team.slug)
    out, _ = run("submit", candidates, *place, "--wait")
    assert "METEOR: scored" in out
    row = next(line for line in out.splitlines() if line.startswith("METEOR  "))
    stored = Submission.objects.get().results.get(metric="meteor")
    assert row.split()[1] == f"{stored.value:.3f}"
    assert row.endswith("5 of 5 clips")


def test_clotho_and_three_published_systems(db: None, shared_data: Path) -> None:
    references = shared_data / "clotho" / "clotho_captions_evaluation.csv"
    out, _ = run("import_references", references, "--challenge", "clotho", "--phase", "eval")
    # 1,045 clips with five references each: shared/data/README.md.
    assert "1,045 clips, 5,225 captions" in out
    for name in ("audiocaption", "dcase2022_baseline", "dcase2023_baseline"):
        out, err = run(
            "submit",
            shared_data / "systems" / f"{name}.csv",
            "--phase",
            "clotho/eval",
            "--team",
            "authors",
        )
        assert "Submitted " in out
        # Every clip stands five times in these files: 4 x 1,045 rows only repeat.
        assert "4,180 rows only repeat" in err
        assert all(line.startswith("warning: ") for line in err.splitlines())
    assert Submission.objects.filter(system_name="dcase2023_baseline").exists()
    assert Submission.objects.filter(kind=Kind.SYSTEM).count() == 3


def test_waiting_can_be_ended_and_says_what_is_ahead(
    cast: Cast, candidates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(cast.phase, TeamFactory.create())
    polls: list[float] = []

    def sleep(seconds: float) -> None:
        polls.append(seconds)
        if len(polls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("leaderboard.management.terminal.time.sleep", sleep)
    monkeypatch.setattr("leaderboard.management.terminal.HINT_AFTER", -1.0)
    place = ("--phase", cast.phase.slug, "--team", cast.team.slug)
    out, _ = run("submit", candidates, *place, "--wait")
    assert out.count("Nothing has started yet. About 1 submission is served before it;") == 1
    assert "Start one with: celery -A leaderboard worker" in out
    assert "Stopped waiting; scoring continues." in out


@pytest.fixture
def page_css(settings: Settings, tmp_path: Path) -> Path:
    """The only static file there is, collected for this test alone."""
    source = tmp_path / "source"
    source.mkdir()
    settings.STATICFILES_DIRS = [source]
    settings.STATIC_ROOT = tmp_path / "collected"
    settings.STATICFILES_FINDERS = ["tests.leaderboard.challenges.test_commands.OwnFinder"]
    return source / "page.css"


class OwnFinder(FileSystemFinder):
    """Finds as the site does; of a class of its own, so that no other test has it in a cache."""


def test_static_files_are_collected_again_only_where_one_has_changed(page_css: Path) -> None:
    page_css.write_text("body {}")
    collected = Path(settings.STATIC_ROOT) / "page.css"
    static_files_collect()
    collected.unlink()
    static_files_collect()
    assert not collected.exists()

    page_css.write_text("body { margin: 0 }")
    static_files_collect()
    assert collected.read_text() == "body { margin: 0 }"
