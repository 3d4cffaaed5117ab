#!/usr/bin/env bash
# PostgreSQL, Redis and Chromium for the tests.
#   services.sh install          installs what is missing, where it can (root and apt)
#   services.sh with COMMAND     runs COMMAND with a PostgreSQL and a Redis of its own, which are
#                                gone when it ends
#   services.sh where COMMAND    runs COMMAND, which starts its own, where they are installed
set -euo pipefail

has_postgres() { command -v pg_virtualenv >/dev/null && compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; }
has_redis() { command -v redis-server >/dev/null; }
has_chromium() { command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null; }

missing() {
  has_postgres || echo postgresql
  has_redis || echo redis-server
  has_chromium || echo chromium-headless-shell
}

install_missing() {
  local packages
  packages=$(missing)
  [ -n "$packages" ] || return 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing for the tests:" $packages
    export DEBIAN_FRONTEND=noninteractive
    # Tests start services of their own, so the packages' are not started.
    apt-get update -qq >/dev/null && apt-get install -y -qq --no-install-recommends $packages >/dev/null || true
  fi
  for package in $(missing); do
    echo "Left out: the tests that need $package. Install it with: apt-get install $package"
    [ "${CI:-}" != true ] || { echo "CI must have $package." >&2; exit 1; }
  done
}

# As root, pg_virtualenv names every cluster "regress"; what a killed run left stands in its way.
drop_left_over() {
  local place version
  for place in /etc/postgresql/*/regress; do
    [ -d "$place" ] && [ -w "$place" ] || continue
    version=$(basename "$(dirname "$place")")
    if pg_lsclusters --no-header | awk -v v="$version" '$1 == v && $2 == "regress" && $4 ~ /online/ { found = 1 } END { exit !found }'; then
      echo "Tests run on PostgreSQL already, or a killed run left its server: pg_dropcluster --stop $version regress" >&2
      exit 1
    fi
    pg_dropcluster "$version" regress >/dev/null 2>&1 || true
    rm -rf "$place"
  done
}

end_without_services() {
  if ! has_postgres || ! has_redis; then
    echo "PostgreSQL and Redis are not installed: nothing is tested on them." >&2
    [ "${CI:-}" != true ] || exit 1
    exit 0
  fi
}

with_services() {
  end_without_services
  drop_left_over
  folder=$(mktemp -d)
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  redis-server --port "$port" --bind 127.0.0.1 --databases 64 --save '' --appendonly no --dir "$folder" >"$folder/redis.log" 2>&1 &
  redis=$!
  trap 'kill $redis 2>/dev/null; rm -rf "$folder"' EXIT
  export CELERY_BROKER_URL="redis://127.0.0.1:$port/0" CACHE_URL="rediscache://127.0.0.1:$port/1"
  # pg_virtualenv makes a cluster of its own and says where in PGHOST, PGPORT, ...
  # Without durability, which a throw-away cluster does not need, it is faster.
  # It would answer a failure with the log of the cluster, under which the tests' own words are lost.
  export STATUS="$folder/status"
  pg_virtualenv -o fsync=off -o synchronous_commit=off -o max_connections=200 bash -c \
    'export DATABASE_URL="postgres://$PGUSER:$PGPASSWORD@$PGHOST:$PGPORT/postgres"; "$@"; echo $? >"$STATUS"' with "$@"
  return "$(cat "$STATUS")"
}

case "${1:-}" in
  install) install_missing ;;
  with) shift; with_services "$@" ;;
  where) shift; end_without_services; "$@" ;;
  *) sed -n '2,6p' "$0"; exit 2 ;;
esac
