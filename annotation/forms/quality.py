"""Rules that keep labels good while people are at work."""

from django import forms


class MixedInForm(forms.Form):
    """How often a settled caption is mixed in."""

    every = forms.IntegerField(
        label="One test in how many captions",
        required=False,
        min_value=2,
        max_value=1000,
        help_text="10 makes every tenth caption a test, on average. Leave empty for no tests.",
    )


class QualificationForm(forms.Form):
    """Whether, and how well, new annotators qualify."""

    on = forms.BooleanField(label="New annotators qualify first", required=False)
    pass_mark = forms.IntegerField(
        label="Pass mark, in %",
        min_value=1,
        max_value=100,
        help_text="Share of words labelled as expected, over all captions of a try.",
    )
    tries = forms.IntegerField(label="Tries", min_value=1, max_value=20)
    everyone = forms.BooleanField(
        label="Current annotators must qualify too",
        required=False,
        help_text="Otherwise annotators who already have captions can continue without qualifying.",
    )


class QualificationFileForm(forms.Form):
    """A file of captions whose labels are known."""

    file = forms.FileField(
        label="File of captions",
        help_text="Prodigy's JSONL with spans; comment is shown as the reason.",
        widget=forms.FileInput(attrs={"accept": ".jsonl,.json"}),
    )
