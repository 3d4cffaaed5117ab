# One image for web, maintenance and workers; docker-compose.yml says who runs what.
FROM python:3.11-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 \
    EARMARK_VAR=/var/lib/earmark BIND=0.0.0.0:8000 PATH=/opt/venv/bin:$PATH

RUN python -m venv /opt/venv \
    && useradd --system --home-dir /var/lib/earmark --create-home earmark \
    && install -d -o earmark /var/lib/earmark/static /var/lib/earmark/cache \
       /var/lib/earmark/audio /var/lib/earmark/labellers /var/lib/earmark/trainings
WORKDIR /srv/earmark
COPY requirements.txt .
RUN pip install -r requirements.txt
COPY manage.py gunicorn.conf.py Procfile pyproject.toml README.md LICENSE ./
COPY earmark earmark
COPY leaderboard leaderboard
COPY annotation annotation
COPY templates templates
COPY static static
COPY docs docs
RUN SECRET_KEY=build EARMARK_VAR=/tmp/build python manage.py check \
    && rm -rf /tmp/build
USER earmark
VOLUME /var/lib/earmark
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s CMD \
    ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["gunicorn", "leaderboard.wsgi"]
