"""The Django project of Earmark and its challenge app.

Importing it loads nothing: the command-line client needs neither Django nor Celery.
"""
