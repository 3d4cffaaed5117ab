"""A good file of predictions, and the faults of one that is not."""

from earmark.captions import Fault, References, read_candidates

CLIPS = References.build(
    [
        ("dog.wav", ["A dog barks.", "A dog is barking."]),
        ("Rain, far.wav", ["Rain falls.", "It rains."]),
        ("O&#39;Farrell.wav", ["Cars pass.", "Traffic."]),
        (" train.wav", ["A train.", "A train passes."]),
    ]
)
HEADER = "file_name,caption_predicted\n"
GOOD = HEADER + 'dog.wav,a dog\n"Rain, far.wav",rain\nO\'Farrell.wav,cars\ntrain.wav,a train\n'


def faults(text: str | bytes, **options: object) -> tuple[Fault, ...]:
    data = text.encode() if isinstance(text, str) else text
    reading = read_candidates(data, CLIPS, **options)  # type: ignore[arg-type]
    assert (reading.value is None) == bool(reading.errors)
    return reading.faults
