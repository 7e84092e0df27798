#!/bin/bash
# cspell:ignore pgdata PGUSER
# What the entry script of the official image does for docker-compose.yml: creates the cluster at the first start, then runs the server.
set -euo pipefail

data=/var/lib/postgresql/data
chown -R postgres "$data"
chmod 700 "$data"
as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }

if [ ! -s "$data/PG_VERSION" ]; then
  install --owner=postgres --mode=600 /dev/null /tmp/password
  echo "$POSTGRES_PASSWORD" >/tmp/password
  # Several arguments in one variable, as in the official image.
  # shellcheck disable=SC2086
  as_postgres initdb --pgdata="$data" --username=postgres --pwfile=/tmp/password $POSTGRES_INITDB_ARGS >/dev/null
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
  as_postgres pg_ctl --pgdata="$data" --options="-c listen_addresses=''" --wait start >/dev/null
  export PGUSER=postgres POSTGRES_USER=postgres
  for script in /docker-entrypoint-initdb.d/*.sh; do sh "$script"; done
  as_postgres pg_ctl --pgdata="$data" --mode=fast --wait stop >/dev/null
fi
exec setpriv --reuid=postgres --regid=postgres --init-groups postgres -D "$data" -c listen_addresses='*'
