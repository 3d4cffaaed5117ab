"""The tables, one file per noun."""

from annotation.models.annotation import Annotation, Answer, Lateness, Revision
from annotation.models.gold import Gold, GoldEnd, PastGold
from annotation.models.item import Assignment, AssignmentRecord, Item
from annotation.models.project import Member, Order, Project, Role
from annotation.models.scheme import KeyChoice, Scheme
from annotation.models.training import RunState, Suggestion, TrainingData, TrainingRun

__all__ = [
    "Annotation",
    "Answer",
    "Assignment",
    "AssignmentRecord",
    "Gold",
    "GoldEnd",
    "Item",
    "KeyChoice",
    "Lateness",
    "Member",
    "Order",
    "PastGold",
    "Project",
    "Revision",
    "Role",
    "RunState",
    "Scheme",
    "Suggestion",
    "TrainingData",
    "TrainingRun",
]
