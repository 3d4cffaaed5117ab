"""The tables, one file per noun."""

from annotation.models.annotation import (
    ANSWERED,
    COUNTING,
    UNCOUNTED,
    Annotation,
    Answer,
    Lateness,
    Revision,
    SendBack,
)
from annotation.models.data_set import (
    CaptionAct,
    CaptionDecision,
    CaptionFinding,
    CheckState,
    DataSet,
    DataSetCaption,
    DataSetCheck,
    DataSetClip,
    Publication,
    Verdict,
)
from annotation.models.gold import Gold, GoldEnd, PastGold
from annotation.models.guidelines import GuidelinesVersion
from annotation.models.imports import INCOMPLETE, Import, ImportState
from annotation.models.invitation import MOST_USES, Invitation
from annotation.models.item import PRESENT, Assignment, AssignmentRecord, EarlierHand, Item
from annotation.models.judging import PairDraw
from annotation.models.project import Member, Order, Project, Qualified, Role
from annotation.models.qualification import (
    QualificationAnswer,
    QualificationCaption,
    QualificationTry,
)
from annotation.models.scheme import KeyChoice, Scheme
from annotation.models.sound import Sound
from annotation.models.split_run import SplitRun, SplitState
from annotation.models.training import RunState, Suggestion, TrainingData, TrainingRun
