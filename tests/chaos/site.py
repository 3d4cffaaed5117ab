"""A whole site: PostgreSQL, a broker, a cache, two web processes, two workers, maintenance."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from redis import Redis

from earmark.models.encoder import find_encoder
from tests.chaos.programs import Program, SiteBroken, free_ports, until

# Short, so that what is lost is soon seen to be lost.
LEASE_SECONDS = 4
SWEEP_SECONDS = 1
REQUEUE_SECONDS = 4
TIME_LIMIT_SECONDS = 45
# What the site promises: nothing is without progress or a reason for longer.
BOUND_SECONDS = 2 * TIME_LIMIT_SECONDS

WORKERS = ("worker-1", "worker-2")


class Site:
    """The programs of a site and the folder of all that it stores."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hooks = folder / "hooks"
        self.var = folder / "var"
        self.model = folder / "model"
        for path in (self.hooks, self.var, folder / "logs"):
            path.mkdir()
        self._database, self._broker, self._cache, self._web = free_ports(4)
        self.address = f"http://127.0.0.1:{self._web}"
        self.programs: dict[str, Program] = {}
        self.worker_names: tuple[str, ...] = WORKERS

    def environment(self) -> dict[str, str]:
        """Settings of every process of the site, and of whoever looks at its database."""
        return {
            "DJANGO_SETTINGS_MODULE": "tests.chaos.settings",
            "SITE_URL": self.address,
            "PORT": str(self._web),
            "DATABASE_URL": f"postgres://earmark@127.0.0.1:{self._database}/postgres",
            "CELERY_BROKER_URL": f"redis://127.0.0.1:{self._broker}/0",
            "CACHE_URL": f"rediscache://127.0.0.1:{self._cache}/0",
            "EARMARK_VAR": str(self.var),
            "EARMARK_CACHE": str(self.var / "cache"),
            "EARMARK_METRICS": f'{{"sbert": {{"encoder": "{self.model}"}}}}',
            "EARMARK_LEASE_SECONDS": str(LEASE_SECONDS),
            "EARMARK_SWEEP_SECONDS": str(SWEEP_SECONDS),
            "EARMARK_REQUEUE_SECONDS": str(REQUEUE_SECONDS),
            "EARMARK_TIME_LIMIT_SECONDS": str(TIME_LIMIT_SECONDS),
            "EARMARK_EMAIL_VERIFICATION": "none",
            "EARMARK_API_RATE": "100000/m",
            "EARMARK_API_UPLOAD_RATE": "100000/m",
            "WEB_CONCURRENCY": "2",
            "WEB_THREADS": "4",
            "LOG_LEVEL": "ERROR",
        }

    def start_services(self) -> None:
        """Start PostgreSQL, broker and cache; copy the model, which faults may damage."""
        shutil.copytree(find_encoder().folder, self.model)
        self._add_postgres()
        for name, port in (("broker", self._broker), ("cache", self._cache)):
            self._add(
                name,
                f"redis-server --bind 127.0.0.1 --appendonly no --dir {self.folder}"
                f" --port {port} --save",
                "",
                port=port,
            )
        for program in self.programs.values():
            program.start()

    def start(self) -> None:
        """Start web processes, workers and maintenance; the tables are there."""
        python = f"{sys.executable} -m"
        celery = f"{python} celery --quiet -A leaderboard worker --without-gossip --without-mingle"
        self._add("web", f"{python} gunicorn leaderboard.wsgi", port=self._web)
        # As Procfile has them.
        for name in self.worker_names:
            options = f"-n {name}@site -Q cpu,gpu --concurrency 1 --loglevel INFO"
            self._add(name, f"nice -n 5 {celery} {options}")
        self._add(
            "maintenance",
            f"{celery} -n maintenance@site -B -Q maintenance --pool threads --concurrency 4"
            " --loglevel WARNING",
        )
        for program in self.programs.values():
            if program.ended:
                program.start()

    def stop(self) -> None:
        """End everything, what serves others last."""
        for program in reversed(self.programs.values()):
            program.kill()

    def revive(self) -> None:
        """Start again what has ended, as a supervisor does."""
        for program in self.programs.values():
            if program.ended:
                program.start()

    def program_of(self, pid: int) -> Program:
        """The program that a process belongs to."""
        for program in self.programs.values():
            if program.owns(pid):
                return program
        raise SiteBroken(f"Process {pid} belongs to no program of the site")

    @property
    def workers(self) -> list[Program]:
        """The workers that score."""
        return [self.programs[name] for name in self.worker_names]

    @property
    def broker(self) -> Redis:
        """The broker, to be spoken to directly."""
        return Redis(port=self._broker)

    @contextmanager
    def away(self, name: str) -> Iterator[None]:
        """Have a program end at once, and start it later."""
        self.programs[name].kill()
        try:
            yield
        finally:
            self.programs[name].start()

    @contextmanager
    def frozen(self, *programs: Program) -> Iterator[None]:
        """Freeze programs with their children for a while."""
        for program in programs:
            program.send(signal.SIGSTOP)
        try:
            yield
        finally:
            for program in programs:
                program.send(signal.SIGCONT)

    def ask_to_stop_at(self, step: str) -> None:
        """Have the next process that comes to a step of ``hooks`` wait there."""
        (self.hooks / f"{step}.asked").touch()

    def stopped_at(self, step: str, *, seconds: float = 60) -> int:
        """The process that waits at a step, once there is one."""

        def marks() -> list[Path]:
            return [*self.hooks.glob(f"{step}-*.held")]

        until(lambda: bool(marks()), seconds=seconds, what=f"a process comes to the step {step!r}")
        return int(marks()[0].stem.rpartition("-")[2])

    def wake(self) -> None:
        """Let every process that waits at a step go on."""
        for mark in self.hooks.glob("*.held"):
            mark.unlink()

    def let_go(self) -> None:
        """Let every process go on, and ask none to wait."""
        for mark in self.hooks.iterdir():
            with suppress(FileNotFoundError):
                mark.unlink()

    def move_clock(self, program: Program, seconds: float) -> None:
        """Set a program's clock forward, or back."""
        path = self.hooks / f"clock-{program.name}"
        path.with_suffix(".new").write_text(str(seconds))
        path.with_suffix(".new").replace(path)

    def _add(self, name: str, command: str, *more: str, port: int | None = None) -> None:
        self.programs[name] = Program(
            name,
            [*command.split(), *more],
            self.folder / "logs" / f"{name}.log",
            {
                **self.environment(),
                "LOG_LEVEL": "INFO",
                "EARMARK_CHAOS": str(self.hooks),
                "EARMARK_CHAOS_PROGRAM": name,
            },
            port,
        )

    def _add_postgres(self) -> None:
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        initdb = shutil.which("initdb") or (str(programs[-1]) if programs else None)
        if initdb is None or shutil.which("redis-server") is None:
            raise SiteBroken("PostgreSQL and Redis are needed: make services")
        data, log = self.folder / "postgres", self.folder / "logs" / "postgres.log"
        data.mkdir(mode=0o700)
        # PostgreSQL refuses to run as root.
        user = "postgres" if os.getuid() == 0 else None
        if user is not None:
            shutil.chown(data, user)
            self.folder.chmod(0o711)
        create = f"{initdb} -D {data} -U earmark -A trust -E UTF8 --locale C.UTF-8 --no-sync"
        subprocess.run(create.split(), user=user, cwd="/", check=True, stdout=subprocess.DEVNULL)
        # The machine is not switched off, so that what is committed survives without fsync.
        options = (
            f"listen_addresses=127.0.0.1 port={self._database} unix_socket_directories="
            " fsync=off full_page_writes=off max_connections=100"
        )
        command = [str(Path(initdb).with_name("postgres")), "-D", str(data)]
        for option in options.split():
            command += ["-c", option]
        self.programs["postgres"] = Program(
            "postgres", command, log, port=self._database, user=user
        )
