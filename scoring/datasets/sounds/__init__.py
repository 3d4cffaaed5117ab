"""Short sounds made by a rule, with captions that are true of them.

For demonstrations, tests and first trainings, where no recordings are at hand.
"""

from scoring.datasets.sounds.scenes import MadeSound, make_sounds
from scoring.datasets.sounds.sources import RATE, SOURCES
from scoring.datasets.sounds.wave_file import wav_bytes

__all__ = ["RATE", "SOURCES", "MadeSound", "make_sounds", "wav_bytes"]
