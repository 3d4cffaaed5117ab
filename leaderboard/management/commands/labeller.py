"""Keep a labeller of another machine on this site, or write one that is kept here into a folder."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from earmark.errors import ScoringError
from leaderboard.selectors.labellers.listing import kept_labeller, labeller_pack
from leaderboard.services.labellers.configuration import LabellerRefused
from leaderboard.services.labellers.registry import labeller_keep

HELP = __doc__


class Command(BaseCommand):
    """Check and store the files of a labeller, or copy them."""

    help = HELP

    def add_arguments(self, parser: CommandParser) -> None:
        """Take what to do, and with which folder."""
        acts = parser.add_subparsers(dest="act", required=True)
        keep = acts.add_parser("keep", help="Keep the labeller of a folder; it is not put to use.")
        keep.add_argument("folder", metavar="FOLDER", help="Has config.json, model.safetensors.")
        keep.add_argument("--name", default="", help="On pages; without, that of its config.json.")
        keep.add_argument("--note", default="", help="Where it comes from, under which licence.")
        pack = acts.add_parser("pack", help="Write a labeller with report and card into a folder.")
        pack.add_argument("identity", metavar="IDENTITY", help="As in signatures, name@xxxxxxxx.")
        pack.add_argument("folder", metavar="FOLDER", help="Must not be there yet.")

    def handle(self, *_args: Any, act: str, folder: str, **options: Any) -> None:
        """Keep or pack a labeller."""
        try:
            if act == "keep":
                made = labeller_keep(
                    folder=Path(folder),
                    name=options["name"],
                    note=options["note"],
                    actor=None,
                    now=timezone.now(),
                )
                self.stdout.write(f"{made.identity} is kept. To choose it, see /labellers/.")
                return
            kept = kept_labeller(options["identity"])
            if kept is None:
                raise CommandError(f"There is no labeller {options['identity']!r} on this site.")
            labeller_pack(kept, Path(folder))
            self.stdout.write(f"{kept.identity} was written to {folder}.")
        except FileExistsError as error:
            raise CommandError(f"{folder} is there already. Name a new folder.") from error
        except (LabellerRefused, ScoringError, OSError) as error:
            raise CommandError(f"{error} Nothing was kept.") from error
