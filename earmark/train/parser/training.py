"""Tuning the packaged parser on captions, and measuring what it gains and what it costs."""

import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from earmark.errors import ScoringError
from earmark.text.parser import new_pipeline, parser_identity
from earmark.text.parser_tuning import (
    TUNED_PIPES,
    apply_tuning,
    current_weights,
    is_word_vectors,
    save_tuning,
)
from earmark.train.fluency.examples import distinct_captions
from earmark.train.parser.examples import (
    lower_without_marks,
    parsed_sentences,
    rewritten_captions,
    training_sentences,
)
from earmark.train.parser.tense import Sentence

Log = Callable[[str], None]
MODEL, REPORT = "model.safetensors", "report.json"


class NothingToLearn(ScoringError):
    """No caption in the progressive is left to learn from."""

    def __init__(self, captions: int) -> None:
        super().__init__(
            f'There is no caption in the progressive, such as "a tap is dripping", among the'
            f" {captions:,} that are not excluded. Give more captions: thousands are needed."
        )


@dataclass(frozen=True, slots=True)
class ParserRecipe:
    """Settings of a tuning that decide its weights, beside the captions.

    ``captions`` are drawn, a twentieth of them held out to measure on. The rate falls in a
    straight line to 0. ``composed`` and ``kept``: sentences of these kinds for each caption
    that is rewritten.
    """

    seed: int = 0
    captions: int = 14_000
    epochs: int = 3
    batch: int = 64
    rate: float = 1.5e-3
    dropout: float = 0.1
    composed: float = 1.5
    kept: float = 1.5


@dataclass(frozen=True, slots=True)
class Measured:
    """Shares on captions held out, in one dress.

    ``verbs_before`` and ``verbs_after``: of verbs put in the present tense, those with the
    right tag and the right subject. ``same_tags`` and ``same_arcs``: of the words of captions
    in the progressive, which were read rightly before, those whose tag, and whose head and
    label, tuning leaves as they were (punctuation left out).
    """

    verbs: int
    verbs_before: float
    verbs_after: float
    words: int
    same_tags: float
    same_arcs: float


def train(
    captions: Iterable[str],
    folder: Path,
    *,
    excluded: AbstractSet[str] = frozenset(),
    recipe: ParserRecipe | None = None,
    log: Log = lambda _line: None,
) -> dict[str, Measured]:
    """Tune the parser and write the change of its weights and a report into a folder.

    Captions that are in ``excluded`` (normalised) are left out. The same captions and recipe
    give the same weights on one machine. Returns what was measured, by dress.
    """
    recipe = recipe or ParserRecipe()
    rng = random.Random(recipe.seed)  # noqa: S311
    distinct = distinct_captions(captions, excluded)
    drawn = rng.sample(distinct, min(recipe.captions, len(distinct)))
    held_out, learned = drawn[: len(drawn) // 20], drawn[len(drawn) // 20 :]
    pipeline = new_pipeline()
    sentences = parsed_sentences(learned, pipeline)
    chosen = training_sentences(
        sentences, composed_share=recipe.composed, kept_share=recipe.kept, rng=rng
    )
    if not chosen:
        raise NothingToLearn(len(learned))
    log(f"{len(learned):,} captions, {len(sentences):,} read rightly, {len(chosen):,} sentences")
    before = current_weights(pipeline)
    _tune(pipeline, chosen, recipe, rng, log)
    save_tuning(folder / MODEL, before, pipeline, parser_identity())
    measured = measure(held_out, folder / MODEL)
    report = {"recipe": asdict(recipe), "sentences": len(chosen)}
    figures = {dress: asdict(accuracy) for dress, accuracy in measured.items()}
    (folder / REPORT).write_text(json.dumps(report | {"held out": figures}, indent=2) + "\n")
    return measured


class _WordVectorsStay:
    """An optimiser that leaves the tables of word vectors as they are."""

    def __init__(self, optimiser: Any, pipeline: Any) -> None:
        self._optimiser = optimiser
        self._fixed = {
            node.id
            for pipe in TUNED_PIPES
            for node in pipeline.get_pipe(pipe).model.walk()
            if is_word_vectors(node)
        }

    def __call__(self, key: tuple[int, str], weights: Any, gradient: Any, **options: Any) -> Any:
        if key[0] in self._fixed:
            return weights, gradient * 0
        return self._optimiser(key, weights, gradient, **options)

    def step_schedules(self) -> None:
        self._optimiser.step_schedules()


def _tune(
    pipeline: Any,
    sentences: Sequence[Sentence],
    recipe: ParserRecipe,
    rng: random.Random,
    log: Log,
) -> None:
    from spacy.util import fix_random_seed, minibatch

    fix_random_seed(recipe.seed)
    optimiser = pipeline.resume_training()
    optimiser.L2 = 0.0
    update = _WordVectorsStay(optimiser, pipeline)
    examples = [_example(sentence, pipeline.vocab) for sentence in sentences]
    with pipeline.select_pipes(enable=TUNED_PIPES):
        for epoch in range(recipe.epochs):
            rng.shuffle(examples)
            losses: dict[str, float] = {}
            batches = list(minibatch(examples, recipe.batch))
            for number, batch in enumerate(batches):
                done = (epoch + number / len(batches)) / recipe.epochs
                optimiser.learn_rate = recipe.rate * (1 - done)
                pipeline.update(batch, sgd=update, losses=losses, drop=recipe.dropout)
            listed = ", ".join(f"{pipe} {losses[pipe]:,.0f}" for pipe in TUNED_PIPES[1:])
            log(f"epoch {epoch + 1} of {recipe.epochs}: loss of {listed}")


def _example(sentence: Sentence, vocabulary: Any) -> Any:
    from spacy.training import Example

    return Example(
        _document(sentence, vocabulary),
        _document(
            sentence,
            vocabulary,
            tags=[word.tag for word in sentence],
            deps=[word.dep for word in sentence],
            heads=[word.head for word in sentence],
            sent_starts=[i == 0 for i in range(len(sentence))],
        ),
    )


def _document(sentence: Sentence, vocabulary: Any, **annotation: Any) -> Any:
    from spacy.tokens import Doc

    words = [word.text for word in sentence]
    following = [*words[1:], "."]
    spaces = [after not in {".", ",", "n't"} for after in following]
    return Doc(vocabulary, words=words, spaces=spaces, **annotation)


def measure(captions: Sequence[str], tuning: Path) -> dict[str, Measured]:
    """What a tuning changes on captions, as they are dressed and in lower case without marks."""
    general, tuned = new_pipeline(), new_pipeline()
    apply_tuning(tuning, tuned, parser_identity())
    rewritten = rewritten_captions(parsed_sentences(captions, general))
    measured = {}
    for name, dress in _DRESSES.items():
        present = [dress(one.after) for one in rewritten]
        progressive = [dress(one.before) for one in rewritten]
        same = list(_compared(progressive, tuned))
        measured[name] = Measured(
            sum(len(_finite_verbs(sentence)) for sentence in present),
            _share_right(present, general),
            _share_right(present, tuned),
            len(same),
            sum(tag for tag, _ in same) / max(1, len(same)),
            sum(arc for _, arc in same) / max(1, len(same)),
        )
    return measured


_DRESSES: dict[str, Callable[[Sentence], Sentence]] = {
    "as written": lambda sentence: sentence,
    "in lower case": lower_without_marks,
}


def _finite_verbs(sentence: Sentence) -> list[tuple[int, int]]:
    """(verb, its subject) of the full verbs in the present tense."""
    return [
        (word.head, i)
        for i, word in enumerate(sentence)
        if word.dep == "nsubj"
        and sentence[word.head].tag in {"VBZ", "VBP"}
        and sentence[word.head].lemma != "be"
    ]


def _share_right(sentences: Sequence[Sentence], pipeline: Any) -> float:
    """Share of finite verbs with the right tag and subject."""
    right: list[bool] = [
        document[verb].tag_ == sentence[verb].tag
        and (document[subject].head.i, document[subject].dep_) == (verb, "nsubj")
        for sentence, document in _parsed(sentences, pipeline)
        for verb, subject in _finite_verbs(sentence)
    ]
    return sum(right) / max(1, len(right))


def _compared(sentences: Sequence[Sentence], pipeline: Any) -> Iterator[tuple[bool, bool]]:
    """Whether the tag, and the arc with its label, of each word are those of the sentence."""
    for sentence, document in _parsed(sentences, pipeline):
        for word, token in zip(sentence, document, strict=True):
            if word.dep == "punct":
                continue
            yield token.tag_ == word.tag, (token.head.i, token.dep_) == (word.head, word.dep)


def _parsed(sentences: Sequence[Sentence], pipeline: Any) -> Iterator[tuple[Sentence, Any]]:
    documents = (_document(sentence, pipeline.vocab) for sentence in sentences)
    return zip(sentences, pipeline.pipe(documents), strict=True)
