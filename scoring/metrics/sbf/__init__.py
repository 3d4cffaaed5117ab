"""False alarms and misses by sound tags: sbf_precision, sbf_recall and sbf."""

from scoring.metrics.sbf.metric import Sbf

__all__ = ["Sbf"]
