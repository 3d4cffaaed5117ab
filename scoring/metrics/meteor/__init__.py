"""METEOR 1.5 with its four matchers, without Java."""

from scoring.metrics.meteor.metric import Meteor

__all__ = ["Meteor"]
