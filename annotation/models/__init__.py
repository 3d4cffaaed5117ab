"""The tables, one file per noun."""

from annotation.models.annotation import Annotation, Answer, Revision
from annotation.models.gold import Gold
from annotation.models.item import Item
from annotation.models.place import Handout, Place
from annotation.models.project import Member, Order, Project, Role
from annotation.models.scheme import Scheme

__all__ = [
    "Annotation",
    "Answer",
    "Gold",
    "Handout",
    "Item",
    "Member",
    "Order",
    "Place",
    "Project",
    "Revision",
    "Role",
    "Scheme",
]
