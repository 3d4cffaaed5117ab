"""Who may see and do what; every view and API operation asks here.

Each ``*_for`` function returns the object or raises ``Http404``, so that what somebody
may not see looks like what does not exist.
"""

from leaderboard.access.challenges import (
    challenge_for,
    challenges_visible,
    is_organiser,
    may_create_challenges,
    organised_challenge_for,
    organised_challenges,
    organised_challenges_of,
    sees_management_pages,
)
from leaderboard.access.judgments import judged_pairs_for, own_judgments_for, own_judgments_of
from leaderboard.access.labellers import (
    labeller_for,
    labellers_for,
    may_publish_labellers,
    may_see_labellers,
    phases_to_rescore,
    publishing_for,
    trainings_for,
)
from leaderboard.access.phases import (
    analysis_for,
    audio_for,
    is_judged_for,
    judgments_for,
    may_see_clip_names,
    may_see_clips,
    may_see_scores,
    organised_phase_for,
    phase_for,
    phase_pages_for,
    phases_with_scores,
    results_for,
    shown_analysis_for,
    snapshots_for,
    visibility_for,
    words_for,
)
from leaderboard.access.submissions import (
    clips_for,
    comparable_submissions,
    editable_submission_for,
    may_edit_submission,
    may_manage_submission,
    may_read_report,
    organised_submission_for,
    own_submission_for,
    report_is_public,
    submission_for,
    system_pages_for,
    system_words_for,
    team_phases_for,
    team_submission_for,
    visible_systems_of,
)
from leaderboard.access.teams import (
    is_member,
    organises_for,
    own_membership_for,
    owned_team_for,
    team_for_member,
    team_to_edit_for,
    teams_of,
)
from leaderboard.web.requests import Visitor
