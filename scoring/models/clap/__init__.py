"""CLAP models: vectors of sounds and of texts in one space (Elizalde et al., ICASSP 2023)."""

from scoring.models.clap.model import Clap, ClapMissing, embed_sounds, embed_texts, find_clap

__all__ = ["Clap", "ClapMissing", "embed_sounds", "embed_texts", "find_clap"]
