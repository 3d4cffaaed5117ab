"""CLAPScore: how close the caption is to the recording itself."""

from earmark.metrics.descriptor import Detail, Explanation, FamilyInfo, FamilyOption, MetricInfo


def heard_steps(detail: Detail) -> list[str]:
    """Lines with the similarity to the recording, or that there is none."""
    if detail["heard"] is None:
        return ["the clip has no recording that can be read"]
    return [f"cosine with the recording: {detail['heard']:.3f}"]


FAMILY = FamilyInfo(
    name="clap_score",
    path="earmark.metrics.clap_score.metric:ClapScore",
    queue="gpu",
    group="Judges from elsewhere",
    order=310,
    seconds=300.0,
    configured_by_phase=True,
    options=(FamilyOption("model", signed="clap", names_installed="clap"),),
    metrics=(
        MetricInfo(
            name="clap_score",
            label="CLAPScore",
            low=-1.0,
            high=1.0,
            summary="Cosine between the vectors that a CLAP model makes of recording and caption",
            source="Elizalde et al., CLAP, ICASSP 2023; a part of Dixit et al., MACE, arXiv 2024",
            link="https://arxiv.org/abs/2206.04769",
            gaps="A clip has no value if it has no recording that can be read.",
            explanation=Explanation(
                what=(
                    "A CLAP model, trained so that sounds and texts that belong together have "
                    "similar vectors, hears the recording and reads the caption; the score is the "
                    "cosine of the two. References play no part. A recording is heard in windows "
                    "of the model's length, whose vectors are averaged."
                ),
                misses=(
                    "The order of events, counts and fine detail: the model summarises. It knows "
                    "only sounds like those that it was trained on, and the level of its scores "
                    "differs from model to model. It favours systems that were built on the same "
                    "model."
                ),
                clip="hall.wav",
                steps=heard_steps,
            ),
            not_judged="the recordings of the judged captions are not part of the benchmark",
        ),
    ),
)
