"""Consensus on sound events: cb_score and cb_recall."""

from scoring.metrics.cb.metric import ConsensusScore

__all__ = ["ConsensusScore"]
