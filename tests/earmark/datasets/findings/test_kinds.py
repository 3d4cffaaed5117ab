"""Every kind of finding on invented captions: what it finds, what it leaves, what it suggests."""

import pytest

from earmark.datasets.findings import (
    CheckedCaptions,
    CheckFinding,
    CheckOptions,
    check_captions,
)
from earmark.workspace import Workspace
from tests.earmark.datasets.findings.placed_captions import placed

# Parses are shared by all tests here: the same sentence is parsed once.
WORKSPACE = Workspace()


def findings(
    kind: str, *captions: str, clip: str = "", options: CheckOptions | None = None
) -> list[CheckFinding]:
    """Findings of a kind; each caption is of a clip of its own, or all of one."""
    clips = [(clip, captions)] if clip else [(f"{n}.wav", [one]) for n, one in enumerate(captions)]
    captions_ = CheckedCaptions(placed(clips), options=options, workspace=WORKSPACE)
    return list(check_captions(captions_, kinds=[kind]))


def texts(kind: str, *captions: str) -> list[str]:
    return [one.text for one in findings(kind, *captions)]


@pytest.mark.parametrize(
    ("caption", "found"),
    [
        ("Seven words are one word too few", True),
        ("Eight words are just enough for a caption", False),
        (" ".join(["word"] * 20), False),
        (" ".join(["word"] * 21), True),
        ("A high-pitched whistle - blown twice - is seven", True),
        ("", True),
        ("... !", True),
    ],
)
def test_length(caption: str, found: bool) -> None:
    assert texts("length", caption) == ([caption] if found else [])


def test_length_is_set() -> None:
    options = CheckOptions(min_words=2, max_words=3)
    assert findings("length", "Rain falls hard", options=options) == []
    assert [one.text for one in findings("length", "Rain", options=options)] == ["Rain"]


@pytest.mark.parametrize(
    ("caption", "wrong", "likely"),
    [
        ("A motorcyle drives past a barking dog", "motorcyle", "motorcycle"),
        ("A dgo barks at the mailman", "dgo", "dog"),
        ("Alot of people clap in a hall", "Alot", "A lot"),
        ("A mans voice echoes in a hall", "mans", "man's"),
        ("A WHISLE IS BLOWN AT THE STATION", "WHISLE", "WHISTLE"),
        ("An engine runs intermittantly in a garage", "intermittantly", "intermittently"),
        ("Someone is runing down the stairs", "runing", "running"),
        ("People are walkking on gravel", "walkking", "walking"),
        ("Water comes fromm a tap", "fromm", "from"),
        ("A woman opens the dor", "dor", "door"),
    ],
)
def test_misspelt_words(caption: str, wrong: str, likely: str) -> None:
    (found,) = findings("spelling", caption)
    assert found.text == wrong
    assert likely in found.suggestions[:2]


@pytest.mark.parametrize(
    "caption",
    [
        "The colour of the aeroplane's engine noise, a neighbour's favourite programme",
        "The color of the airplane's engine noise, a neighbor's favorite program",
        "A clock goes tick tock while something vrooms and a frog goes ribbit",
        "Pitter-patter of rain, a multi-toned horn and a caf\u00e9 crowd",
        "Two 4x4s and a B52 pass, the 2nd one louder",
        "A crowd cheers for Grzegorz on an ATV",
        "Hiccups, oinking, baaing, whooshing and a theremin",
        "Knives, dishes, quizzes, pianos, echoes, flies, wolves, women and firemen",
    ],
)
def test_well_spelt_words(caption: str) -> None:
    assert texts("spelling", caption) == []


def test_a_word_of_many_captions_is_the_sets_own() -> None:
    many = [f"A blorptone sounds {one} times" for one in range(10)]
    assert texts("spelling", *many) == []
    assert texts("spelling", *many[:9]) == ["blorptone"] * 9


def test_a_frequent_slip_of_a_far_more_frequent_word_is_found() -> None:
    slips = ["A helicoptor flies"] * 10
    assert texts("spelling", *slips) == []
    assert len(texts("spelling", *slips, *["A helicopter flies"] * 100)) == 10


def test_what_is_frequent_in_the_set_is_suggested_first() -> None:
    (found,) = findings("spelling", "A horss is heard", *["A horse neighs"] * 3)
    assert found.suggestions[0] == "horse"
    (found,) = findings("spelling", "A horss is heard", *["Horns blare"] * 3)
    assert found.suggestions[0] == "horns"


@pytest.mark.parametrize(
    ("caption", "contraction", "suggestions"),
    [
        ("It's raining on a tin roof", "It's", ("It is", "It has", "Its")),
        ("A car that won't start", "won't", ("will not",)),
        ("A bell doesn\u2019t ring", "doesn\u2019t", ("does not",)),
        ("The engine dont start", "dont", ("do not", "don't")),
        ("Someone's knocking on a door", "Someone's", ("Someone is", "Someone has")),
    ],
)
def test_contractions(caption: str, contraction: str, suggestions: tuple[str, ...]) -> None:
    (found,) = findings("contraction", caption)
    assert (found.text, found.suggestions) == (contraction, suggestions)


@pytest.mark.parametrize(
    "caption",
    ["A dog's bark echoes", "Two birds' song", "A bell strikes six o'clock"],
)
def test_possessives_are_no_contractions(caption: str) -> None:
    assert texts("contraction", caption) == []


def test_compounds_follow_the_most_frequent_way() -> None:
    captions = [
        "A non-stop beep in a room",
        "A non-stop alarm rings",
        "A nonstop siren wails",
        "A non stop siren wails",
    ]
    found = findings("compound", *captions)
    assert [(one.text, one.suggestions) for one in found] == [
        ("nonstop", ("non-stop",)),
        ("non stop", ("non-stop",)),
    ]


def test_a_compound_that_is_always_written_the_same_is_none() -> None:
    assert texts("compound", "A high-pitched bell", "High-pitched whistles") == []


@pytest.mark.parametrize(
    ("apart", "joined"),
    [
        ("Rain and a car pass by in to the night", "A car drives into a garage"),
        ("A plane will take off loudly", "A loud takeoff of a plane"),
    ],
)
def test_words_that_stand_apart_for_themselves_are_no_compound(apart: str, joined: str) -> None:
    assert texts("compound", apart, joined, joined) == []


@pytest.mark.parametrize(
    ("caption", "name"),
    [
        ("A radio plays a song by Michael Jackson in a kitchen", "Michael Jackson"),
        ("Barack Obama gives a speech to a crowd", "Barack Obama"),
        ("A woman with an Italian voice sings", "Italian"),
        ("Someone sprays Windex on a window and wipes it", "Windex"),
        ("someone sprays windex on a window and wipes it", "windex"),
        ("a train arrives in london on a busy day", "london"),
        ("A DOG BARKS IN LONDON", "LONDON"),
        ("Someone uses Zorblex in a room and talks", "Zorblex"),
    ],
)
def test_names(caption: str, name: str) -> None:
    assert texts("name", caption) == [name]


@pytest.mark.parametrize(
    "caption",
    [
        "Birds chirp loudly in a tree",
        "Two dogs bark on Monday at 9 AM, then a third one",
        "A TV and a CD play in a room",
        "A man speaks. Then a Dog barks",
        "Near the Dog and the Man a bell rings",
        "A Dog Barks Loudly At The Door",
        "Gusting wind and a lawnmower amid the fog, as women and firemen talk",
        "A chang-clang and a ding in wi gs, a horse oping by, meta ling of among st others",
    ],
)
def test_no_names(caption: str) -> None:
    assert texts("name", caption, *["a dog and a man speak"] * 4) == []


@pytest.mark.parametrize(
    ("caption", "speech"),
    [
        ('A man shouts "watch out" at a car', '"watch out"'),
        ("A woman yells \u201cgo, go, go", "\u201cgo, go, go"),
        ("A boy calls 'come here' to a dog's owner", "'come here'"),
        ("A man says I love you to a child", "says I love you to a child"),
        ("A woman says: give it to her", "says: give it to her"),
    ],
)
def test_speech_that_is_written_down(caption: str, speech: str) -> None:
    assert texts("speech", caption) == [speech]
    assert texts("saying", caption) == []


@pytest.mark.parametrize(
    "caption",
    [
        "Two dogs' barking echoes in a yard",
        "A man says something, then walks away",
        "A crowd speaks, a horn is blown",
        "The pipe is 3' long and 5\" wide",
    ],
)
def test_no_speech(caption: str) -> None:
    assert texts("speech", caption) == []


@pytest.mark.parametrize(
    ("caption", "saying", "suggestion"),
    [
        ("A woman says hello and a door closes", "says hello", "speaks"),
        ("A man talking about cars while it rains", "talking about cars", "talking"),
        ("A man speaks a foreign language loudly", "speaks a foreign language", "speaks"),
        ("A teacher explains how a pump works", "explains how a pump works", "speaks"),
        ("A Russian male voice booms", "Russian male", "male"),
        ("A boy shouts for help", "shouts for help", "shouts"),
        ("A man tells a dog to sit as birds sing", "tells a dog to sit", None),
    ],
)
def test_what_is_said(caption: str, saying: str, suggestion: str | None) -> None:
    (found,) = findings("saying", caption)
    assert found.text == saying
    assert found.suggestions == (() if suggestion is None else (suggestion,))


@pytest.mark.parametrize(
    "caption",
    [
        "A man says something and walks away",
        "A woman says a few words to a child",
        "A man talks for about a minute",
        "A dog barks at a woman speaking softly",
        "A French horn plays",
        "Birds call to each other and for a mate",
        "A child repeats what the teacher says twice",
    ],
)
def test_speaking_without_what_is_said(caption: str) -> None:
    assert texts("saying", caption) == []


@pytest.mark.parametrize(
    ("caption", "phrase", "suggestion"),
    [
        ("I hear a dog barking", "I hear a", "A"),
        ("I can hear the sound of rain", "I can hear the sound of rain", "Rain"),
        ("There is a car driving past", "There is a", "A"),
        ("This is the sound of a train", "This is the sound of a", "A"),
        ("In the audio there is a cat", "In the audio there is a", "A"),
        ("A bell rings and there's an echo", "there's an", "an"),
        ("The sound of waves on a beach", "The sound of waves", "Waves"),
        ("I hear", "I hear", None),
    ],
)
def test_openings(caption: str, phrase: str, suggestion: str | None) -> None:
    (found,) = findings("opening", caption)
    assert found.text == phrase
    assert found.suggestions == (() if suggestion is None else (suggestion,))


@pytest.mark.parametrize(
    "caption",
    ["Waves with the sound of a horn", "Bells are there", "A man hears a dog", "It is windy"],
)
def test_no_openings(caption: str) -> None:
    assert texts("opening", caption) == []


def test_duplicates_within_a_clip() -> None:
    captions = (
        "A dog barks loudly in a yard while a man walks",
        "While a man walks, a dog is barking loudly in the yard",
        "A dog barks at a passing car",
        "Two dogs bark loudly in the yard as a woman walks",
    )
    found = findings("duplicate", *captions, clip="dog.wav")
    assert [one.caption.number for one in found] == [2]
    assert findings("duplicate", *captions) == [], "other clips do not count"


def test_the_text_of_another_clip() -> None:
    found = findings("same_text", "A dog barks.", "a dog  barks", "A cat meows", "", "")
    assert [one.caption.file_name for one in found] == ["0.wav", "1.wav"]
    assert findings("same_text", "A dog barks", "A dog barks", clip="dog.wav") == []


def test_rare_words() -> None:
    captions = [
        "An automobile passes on a road",
        "A car passes on a road",
        "Two cars pass on the road",
        "A road and a car",
        "An auto on the roads",
    ]
    found = findings("rare_word", *captions)
    assert [(one.text, one.suggestions) for one in found] == [
        ("automobile", ("car", "auto")),
        ("auto", ("car", "automobile")),
    ]


def test_other_forms_of_a_word_make_it_no_rare_one() -> None:
    assert texts("rare_word", "A door vibrates", "A vibrating door", "The vibration of doors") == []
    assert texts("rare_word", "A man spoke", "A man speaks") == []
