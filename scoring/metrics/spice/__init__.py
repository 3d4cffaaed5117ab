"""SPICE and its kin: metrics over scene graphs."""

from scoring.metrics.spice.embedding import SpicePlusEmb
from scoring.metrics.spice.metric import Spice, SpicePlus
from scoring.metrics.spice.spider import Spider
from scoring.metrics.spice.spider_fl import SpiderFl

__all__ = ["Spice", "SpicePlus", "SpicePlusEmb", "Spider", "SpiderFl"]
