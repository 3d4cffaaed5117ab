"""Starting a training: what can be chosen, what is refused, and what is kept of it."""

import gzip
import hashlib
import json
import re

import pytest
from django.urls import reverse
from pytest_django import Settings

from annotation.models import Answer, Project, Role, RunState, TrainingData, TrainingRun
from annotation.selectors.training.material import (
    LabelSource,
    TrainingSelection,
    material_amount,
    training_material,
    words_with_labels,
)
from annotation.services.adjudication import gold_accept_unanimous
from annotation.services.projects import ProjectAct, member_add, project_create
from annotation.services.schemes import schemes_load
from annotation.services.training.states import TrainingOptions, training_start
from earmark.train.descriptors import annotated_caption, jsonl_sets
from leaderboard.models import AuditEvent
from leaderboard.web.refusals import Refused
from tests.annotation.conftest import NOW, Crew, make_project
from tests.annotation.labelled import agreed_second, disputed_first, label
from tests.annotation.trained import easy_texts, label_easily, make_training
from tests.annotation.training.training_pages import FORM, get, post
from tests.factories import UserFactory
from tests.leaderboard.scored_pages import text


def test_a_manager_starts_a_training_of_what_was_chosen(easy: Crew) -> None:
    response = post(easy, easy.manager, "models", data=FORM)
    run = TrainingRun.objects.get()
    assert response.url == reverse("annotation:training", args=[easy.project.slug, 1])
    assert run.state == RunState.WAITING
    assert run.chosen == {"source": "accepted", "people": [], "leave_flagged": True, "projects": []}
    wanted = {"name": "my-labeller", "method": "lora", "batch": 16, "seed": 1, "held_out": 0.2}
    assert run.options | wanted == run.options
    assert run.data.captions == 24
    event = AuditEvent.objects.get(action="labelling.train")
    assert event.details == {"number": 1, "data": run.data.sha256}
    assert "started training 1" in text(get(easy, easy.manager, "manage").content)


def test_too_many_captions_are_counted_and_not_read(easy: Crew, settings: Settings) -> None:
    """Neither to start, nor to say on the page what there would be to learn from."""
    settings.TRAINING_CAPTIONS = 23
    said = "at most 23 captions, but you chose 24"
    pages = (
        get(easy, easy.manager, "models"),
        get(easy, easy.manager, "models-amount", query="?source=accepted"),
        post(easy, easy.manager, "models", data=FORM),
    )
    assert [page.status_code for page in pages] == [200, 200, 422]
    for page in pages:
        assert said in page.content.decode()
    assert not TrainingRun.objects.exists()


def test_what_makes_no_sense_is_refused_with_its_reason(easy: Crew) -> None:
    for field, value, said in (
        ("name", "two words", "Letters a to z, digits"),
        ("epochs", "51", "less than or equal to 50"),
        ("rate", "0", "greater than or equal to 1e-07"),
        ("backbone", "/etc", "not one of the available choices"),
        ("source", "all", "not one of the available choices"),
        ("people", "999999", "not one of the available choices"),
        ("helpers", "999999", "not one of the available choices"),
    ):
        response = post(easy, easy.manager, "models", data=FORM | {field: value})
        assert response.status_code == 422
        assert said in text(response.content)
        assert not TrainingRun.objects.exists()


def test_only_own_projects_of_another_inventory_may_help(easy: Crew) -> None:
    ten = next(found for found in schemes_load() if found.slug == "aces-10")
    own = project_create(slug="own-ten", name="Own ten", scheme=ten, manager=easy.manager)
    project_create(slug="their-ten", name="Their ten", scheme=ten, manager=easy.outsider)
    read = project_create(slug="read-ten", name="Read ten", scheme=ten, manager=easy.outsider)
    member_add(project=read, user=easy.manager, role=Role.ADJUDICATOR)
    make_project(easy.manager)
    html = get(easy, easy.manager, "models").content.decode()
    found = re.search(r"Projects that help(.*?)</fieldset>", html, re.DOTALL)
    assert found is not None
    assert re.findall(r'name="helpers" value="(\d+)"', found[1]) == [str(own.pk)]
    refused = post(easy, easy.manager, "models", data=FORM | {"helpers": str(read.pk)})
    assert refused.status_code == 422


def test_captions_of_a_helping_project_are_for_its_managers_alone(crew: Crew) -> None:
    ten = next(found for found in schemes_load() if found.slug == "aces-10")
    theirs = project_create(slug="theirs", name="Theirs", scheme=ten, manager=crew.outsider)
    chosen = {"source": "gold", "people": [], "leave_flagged": True, "projects": [theirs.pk]}
    make_training(crew.project, chosen=chosen)
    assert get(crew, crew.manager, "training-data", 1).status_code == 404
    told = text(get(crew, crew.manager, "training", 1).content)
    assert "Download them" not in told
    # Not even that there is a project of this name.
    assert "helped by 1 other project" in told
    assert "Theirs" not in told
    member_add(project=theirs, user=crew.manager, role=Role.MANAGER)
    assert get(crew, crew.manager, "training-data", 1).status_code == 200
    assert "helped by Theirs" in text(get(crew, crew.manager, "training", 1).content)


def test_the_download_is_byte_for_byte_what_was_kept(easy: Crew) -> None:
    post(easy, easy.manager, "models", data=FORM)
    response = get(easy, easy.manager, "training-data", 1)
    run = TrainingRun.objects.get()
    assert response.content == gzip.decompress(bytes(run.data.content))
    assert f'filename="{easy.project.slug}-training-1.jsonl"' in response["Content-Disposition"]
    assert response.content.count(b"\n") == 25


ACCEPTED = TrainingSelection(LabelSource.ACCEPTED)


def texts_of(project: Project, chosen: TrainingSelection) -> list[str]:
    return [record["text"] for record in training_material(project, chosen)[0].records]


def trainable(count: int = 24) -> Project:
    """A project whose captions one person accepted."""
    manager = UserFactory.create()
    project = make_project(manager, texts=easy_texts(count), copies=1)
    label_easily(list(project.items.all()), manager)
    return project


def manager_of(project: Project) -> ProjectAct:
    return ProjectAct(project.members.get(role="manager").user, NOW)


def test_settled_labels_are_learned_from_and_disputes_are_not(crew: Crew) -> None:
    disputed_first(crew)
    agreed_second(crew)
    gold_accept_unanimous(project=crew.project, by=crew.manager, now=NOW)
    assert texts_of(crew.project, TrainingSelection()) == [crew.items[1].text]


def test_accepted_answers_that_count_come_once_for_each_person_without_a_name(crew: Crew) -> None:
    disputed_first(crew)
    label(crew.items[0], crew.manager, (0, 0, "WHAT"))
    label(crew.items[2], crew.ann, (1, 1, "WHO"), answer=Answer.REJECT)
    label(crew.items[3], crew.ann, answer=Answer.IGNORE)
    assert texts_of(crew.project, ACCEPTED) == [crew.items[0].text] * 2
    (part,) = training_material(crew.project, ACCEPTED)
    told = "".join(part.lines())
    assert not any(user.username in told for user in (crew.ann, crew.bob))
    of_bob = TrainingSelection(LabelSource.ACCEPTED, (crew.bob.pk,))
    (record,) = training_material(crew.project, of_bob)[0].records
    assert [span["label"] for span in record["spans"]] == ["WHO", "HOW", "WHEN"]


@pytest.mark.parametrize("source", list(LabelSource))
def test_what_was_flagged_is_left_out_unless_asked_for(crew: Crew, source: LabelSource) -> None:
    agreed_second(crew)
    gold_accept_unanimous(project=crew.project, by=crew.manager, now=NOW)
    item = crew.items[1]
    item.annotations.filter(user=crew.ann).update(flagged=True)
    kept, every = TrainingSelection(source), TrainingSelection(source, leave_flagged=False)
    assert len(texts_of(crew.project, every)) == (1 if source == LabelSource.GOLD else 2)
    # Gold is settled by all: one flag is enough. Of answers, only the flagged one goes.
    assert len(texts_of(crew.project, kept)) == (0 if source == LabelSource.GOLD else 1)


def test_words_are_counted_as_the_labeller_reads_them(crew: Crew) -> None:
    """A full stop is a token of its own to annotators, and no word to the labeller."""
    project = make_project(crew.manager, texts=("a dog barks.", "rain (heavy), falls"), copies=1)
    first, second = project.items.all()
    label(first, crew.manager, (1, 1, "WHO"), (2, 3, "HOW"))
    label(second, crew.manager, (0, 3, "WHAT"))
    (part,) = training_material(project, ACCEPTED)
    for record in part.records:
        read = annotated_caption(record)
        assert words_with_labels(record) == list(zip(read.words, read.labels, strict=True))
    amount = material_amount([part])
    assert (amount["captions"], amount["texts"], amount["words"]) == (2, 2, 6)
    counts = amount["labels"]
    assert {name: count for name, count in counts.items() if count} == {
        "WHO": 1,
        "HOW": 1,
        "WHAT": 2,
        "O": 2,
    }


def test_the_trainer_reads_what_is_kept_word_for_word(db: None) -> None:
    project = trainable()
    run = training_start(
        project=project, chosen=ACCEPTED, options=TrainingOptions("x"), act=manager_of(project)
    )
    content = gzip.decompress(bytes(run.data.content))
    assert hashlib.sha256(content).hexdigest() == run.data.sha256
    (part,) = jsonl_sets(content.decode().split("\n"))
    assert part.labels == (*project.scheme.names, "O")
    assert [one.labels for one in part.captions] == [("O", "WHO", "HOW", "WHERE", "O")] * 24
    assert [" ".join(one.words) for one in part.captions] == list(easy_texts(24))


def test_the_same_captions_are_kept_once_and_changed_ones_anew(db: None) -> None:
    project = trainable()
    act = manager_of(project)
    for _ in range(2):
        run = training_start(
            project=project, chosen=ACCEPTED, options=TrainingOptions("x"), act=act
        )
        TrainingRun.objects.filter(pk=run.pk).update(state="failed")
    assert TrainingData.objects.count() == 1
    before = bytes(run.data.content)
    label(project.items.all()[0], act.actor, (1, 1, "WHAT"))
    training_start(project=project, chosen=ACCEPTED, options=TrainingOptions("x"), act=act)
    assert TrainingData.objects.count() == 2
    assert list(TrainingRun.objects.values_list("number", flat=True)) == [3, 2, 1]
    assert bytes(TrainingRun.objects.get(pk=run.pk).data.content) == before


def test_the_same_caption_twice_is_one_to_learn_from(crew: Crew) -> None:
    project = make_project(crew.manager, texts=easy_texts(15), copies=2)
    member_add(project=project, user=crew.ann)
    for user in (crew.manager, crew.ann):
        label_easily(list(project.items.all()), user)
    with pytest.raises(Refused, match="there are only 15"):
        training_start(
            project=project,
            chosen=ACCEPTED,
            options=TrainingOptions("x"),
            act=ProjectAct(crew.manager, NOW),
        )


def test_a_project_of_another_inventory_helps_behind_the_own_captions(db: None) -> None:
    project = trainable()
    act = manager_of(project)
    ten = next(found for found in schemes_load() if found.slug == "aces-10")
    helper = project_create(slug="ten", name="Ten", scheme=ten, manager=act.actor)
    other = make_project(act.actor, texts=("a bell rings",), copies=1)
    other.items.update(project=helper)
    item = helper.items.get()
    item.assignments.update(project=helper)
    label(item, act.actor, (1, 1, "WHAT"), (2, 2, "HOW"))
    chosen = TrainingSelection(LabelSource.ACCEPTED, helpers=(helper,))
    run = training_start(project=project, chosen=chosen, options=TrainingOptions("x"), act=act)
    sets = jsonl_sets(gzip.decompress(bytes(run.data.content)).decode().split("\n"))
    assert [(part.name, len(part.captions)) for part in sets] == [("aces-13", 24), ("aces-10", 1)]
    assert run.data.captions == 25


def test_hostile_captions_stay_as_they_are(crew: Crew) -> None:
    hostile = 'a <script>alert("1")</script> \u2028 {"set": "x"} barks'
    project = make_project(crew.manager, texts=(hostile,), copies=1)
    item = project.items.get()
    label(item, crew.manager, (1, 1, "WHO"))
    (part,) = training_material(project, ACCEPTED)
    lines = list(part.lines())
    assert len(lines) == 2
    assert all("\n" not in line for line in lines)
    assert json.loads(lines[1])["text"] == hostile
    (read,) = jsonl_sets(lines)
    assert len(read.captions) == 1
