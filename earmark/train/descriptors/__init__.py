"""Training the labeller of sound descriptors."""

from earmark.train.descriptors.data_split import TooFewGroups, data_hash
from earmark.train.descriptors.evaluation import token_agreement
from earmark.train.descriptors.labelled_captions import (
    AnnotatedCaption,
    DescriptorFault,
    LabelSet,
    annotated_caption,
    jsonl_sets,
    read_lines,
    read_sets,
    without_source,
)
from earmark.train.descriptors.recipe import (
    LabellerRecipe,
    OutOfMemory,
    PlanProgress,
    ProgressListener,
    TrainingPlan,
    UnusablePlan,
    check_plan,
    default_recipe,
)
from earmark.train.descriptors.training import TrainingDiverged, predict, save_trained, train
from earmark.train.descriptors.training_run import TrainingEnvironment, run_training

__all__ = [
    "AnnotatedCaption",
    "DescriptorFault",
    "LabelSet",
    "LabellerRecipe",
    "OutOfMemory",
    "PlanProgress",
    "ProgressListener",
    "TooFewGroups",
    "TrainingDiverged",
    "TrainingEnvironment",
    "TrainingPlan",
    "UnusablePlan",
    "annotated_caption",
    "check_plan",
    "data_hash",
    "default_recipe",
    "jsonl_sets",
    "predict",
    "read_lines",
    "read_sets",
    "run_training",
    "save_trained",
    "token_agreement",
    "train",
    "without_source",
]
