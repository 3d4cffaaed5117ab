"""Telling what a recording is by how it begins, whatever it is called."""

# What MPEG-4 files say that they are, where they hold sound alone or may.
_MP4 = {b"M4A ", b"M4B ", b"mp41", b"mp42", b"isom", b"iso2", b"iso4", b"iso5", b"iso6", b"dash"}
HEAD = 64


def media_type_of(head: bytes) -> str | None:
    """Name the media type of a file that begins with ``head``, or None where it is no sound."""
    if head[:4] in {b"RIFF", b"RF64"} and head[8:12] == b"WAVE":
        return "audio/wav"
    if head[:4] == b"fLaC":
        return "audio/flac"
    if head[:4] == b"OggS":
        return "audio/ogg"
    if head[4:8] == b"ftyp" and head[8:12] in _MP4:
        return "audio/mp4"
    if head[:3] == b"ID3" or _mpeg_frame(head):
        return "audio/mpeg"
    return None


def _mpeg_frame(head: bytes) -> bool:
    """Look for the eleven set bits of a frame, of a known version, layer, rate and frequency."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return False
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    return version != 1 and layer != 0 and head[2] >> 4 != 15 and head[2] >> 2 & 3 != 3
