"""Vocabulary: distinct words of a system."""

import math

from earmark.metrics.descriptor import Explanation, FamilyInfo, MetricInfo, listed

FAMILY = FamilyInfo(
    name="vocab",
    path="earmark.metrics.vocab.metric:Vocab",
    queue="cpu",
    group="Corpus",
    order=170,
    seconds=0.1,
    metrics=(
        MetricInfo(
            name="vocab",
            label="Vocabulary",
            low=0.0,
            high=math.inf,
            decimals=0,
            summary="Number of different words that a system uses over the corpus",
            source="DCASE, result tables of task 6a, challenge of 2023; distinct PTB tokens",
            link="https://dcase.community/challenge2023/task-automated-audio-captioning-results",
            explanation=Explanation(
                what=(
                    "The number of different words (PTB tokens) that a system uses over the "
                    "whole corpus. Not a measure of quality: it shows whether a system always "
                    "says the same few sentences."
                ),
                misses=(
                    "Whether any of the words is right. It grows with the number of clips: "
                    "compare it only on the same corpus."
                ),
                clip="hall.wav",
                steps=lambda detail: [
                    f"words that the system uses for this clip alone: {listed(detail['only_here'])}"
                ],
            ),
            is_count=True,
            not_judged="it counts the words of a corpus, which says nothing about one caption",
        ),
    ),
)
