"""Training the labeller of sound descriptors."""

from scoring.train.descriptors.carrying import Place, carry_out
from scoring.train.descriptors.checkpoints import Epoch
from scoring.train.descriptors.evaluation import Agreement, LabelScore, agreement
from scoring.train.descriptors.memory import OutOfMemory
from scoring.train.descriptors.parting import TooAlike, data_hash
from scoring.train.descriptors.reading import (
    Annotated,
    DescriptorFault,
    LabelSet,
    annotated,
    jsonl_sets,
    read_lines,
    read_sets,
    without_source,
)
from scoring.train.descriptors.recipe import Plan, Recipe, Tell, Told, UnusablePlan, check, usual
from scoring.train.descriptors.report import Report, report_json
from scoring.train.descriptors.simulation import Rounds, Simulation, simulate, simulation_json
from scoring.train.descriptors.training import Diverged, predict, save, train

__all__ = [
    "Agreement",
    "Annotated",
    "DescriptorFault",
    "Diverged",
    "Epoch",
    "LabelScore",
    "LabelSet",
    "OutOfMemory",
    "Place",
    "Plan",
    "Recipe",
    "Report",
    "Rounds",
    "Simulation",
    "Tell",
    "Told",
    "TooAlike",
    "UnusablePlan",
    "agreement",
    "annotated",
    "carry_out",
    "check",
    "data_hash",
    "jsonl_sets",
    "predict",
    "read_lines",
    "read_sets",
    "report_json",
    "save",
    "simulate",
    "simulation_json",
    "train",
    "usual",
    "without_source",
]
