"""The places of a caption are called assignments; all rows stay as they are."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0009_taken_in_revisions"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="place", name="place_once"),
        migrations.RemoveConstraint(model_name="place", name="one_place_per_item_and_person"),
        migrations.RemoveConstraint(model_name="handout", name="handout_once"),
        migrations.RenameModel("Place", "Assignment"),
        migrations.RenameModel("Handout", "AssignmentRecord"),
        migrations.RenameField("annotation", "place", "assignment"),
        migrations.RenameIndex("assignment", new_name="assignment_open", old_name="place_open"),
        migrations.AlterField(
            model_name="assignment",
            name="item",
            field=models.ForeignKey(
                on_delete=models.CASCADE, related_name="assignments", to="annotation.item"
            ),
        ),
        migrations.AlterField(
            model_name="assignment",
            name="project",
            field=models.ForeignKey(
                on_delete=models.CASCADE, related_name="assignments", to="annotation.project"
            ),
        ),
        migrations.AlterField(
            model_name="assignmentrecord",
            name="item",
            field=models.ForeignKey(
                on_delete=models.CASCADE, related_name="assignment_records", to="annotation.item"
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(fields=["item", "number"], name="assignment_once"),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                fields=["item", "user"],
                condition=models.Q(user__isnull=False),
                name="one_assignment_per_item_and_person",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignmentrecord",
            constraint=models.UniqueConstraint(
                fields=["item", "user"], name="assignment_record_once"
            ),
        ),
    ]
