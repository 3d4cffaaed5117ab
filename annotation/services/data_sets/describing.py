"""What is said of a data set."""

from django.db import transaction

from annotation.models import DataSet
from annotation.services.data_sets.making import DataSetAct


@transaction.atomic
def procedure_change(*, data_set: DataSet, text: str, act: DataSetAct) -> None:
    """Change the text that tells how a data set was made; published cards stay as they are."""
    if DataSet.objects.filter(pk=data_set.pk).exclude(procedure=text).update(procedure=text):
        act.note("procedure", data_set)
