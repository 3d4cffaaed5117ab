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
    SplitRun,
    SplitState,
    Verdict,
)
from annotation.models.gold import Gold, GoldEnd, PastGold
from annotation.models.imports import INCOMPLETE, Import, ImportState
from annotation.models.item import PRESENT, Assignment, AssignmentRecord, EarlierHand, Item
from annotation.models.project import (
    MOST_USES,
    GuidelinesVersion,
    Invitation,
    Member,
    Order,
    PairDraw,
    Project,
    Qualified,
    Role,
    Sound,
)
from annotation.models.qualification import (
    QualificationAnswer,
    QualificationCaption,
    QualificationTry,
)
from annotation.models.scheme import KeyChoice, Scheme
from annotation.models.training import RunState, Suggestion, TrainingData, TrainingRun
