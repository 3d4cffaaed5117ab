"""The tables, one file per noun."""

from annotation.models.annotation import Annotation, Answer, Late, Revision
from annotation.models.gold import End, Gold, PastGold
from annotation.models.item import Item
from annotation.models.keys import KeyChoice
from annotation.models.place import Handout, Place
from annotation.models.project import Member, Order, Project, Role
from annotation.models.scheme import Scheme
from annotation.models.training import RunState, Suggestion, TrainingData, TrainingRun

__all__ = [
    "Annotation",
    "Answer",
    "End",
    "Gold",
    "Handout",
    "Item",
    "KeyChoice",
    "Late",
    "Member",
    "Order",
    "PastGold",
    "Place",
    "Project",
    "Revision",
    "Role",
    "RunState",
    "Scheme",
    "Suggestion",
    "TrainingData",
    "TrainingRun",
]
