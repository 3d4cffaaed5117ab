"""The recordings of a phase's clips, for metrics that listen."""

from leaderboard.models import ReferenceSet
from leaderboard.selectors.clips.audio import audio_path
from leaderboard.selectors.clips.corpus import references_of
from scoring.recordings import ClipRecording, Recordings


def recordings_of(reference_set: ReferenceSet | None) -> Recordings:
    """The recordings that are stored here of a set's clips; what lies elsewhere is not fetched."""
    if reference_set is None:
        return Recordings()
    names = references_of(reference_set.content_hash).file_names
    rows = reference_set.audio.values_list("position", "sha256")
    return Recordings(
        {
            names[at]: ClipRecording(audio_path(sha256), sha256)
            for at, sha256 in rows
            if at < len(names)
        }
    )
