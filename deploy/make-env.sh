#!/bin/sh
# Writes .env for docker compose with a new random secret for every component that has a password, and the folder certificates with the
# certificates of the event store. Never overwrites a file.
set -eu

file=${1:-.env}
if [ -e "$file" ]; then
  echo "$file exists. It is not overwritten, because the stores use its passwords." >&2
  exit 1
fi

# Letters and digits only, because some secrets are part of URLs. The first character is a letter, so that no secret parses as a number.
secret() {
  printf 'p%s' "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"
}

sh "$(dirname "$0")/make-certificates.sh" "$(dirname "$file")/certificates"

umask 077
draft="$file.$$"
{
  echo "# Secrets of this installation. Keep this file; do not commit it."
  for name in POPSVC_OPERATOR_TOKEN POPSVC_ENCRYPTION_KEY POPSVC_DATABASE_PASSWORD POSTGRES_PASSWORD \
    POPSVC_EVENTSTORE_PASSWORD ESDB_ADMIN_PASSWORD ESDB_OPS_PASSWORD \
    CLICKHOUSE_WRITER_PASSWORD CLICKHOUSE_READER_PASSWORD CLICKHOUSE_ANALYST_PASSWORD NATS_PASSWORD \
    UPLOAD_SIGNING_KEY GRAFANA_PASSWORD; do
    echo "$name=$(secret)"
  done
} >"$draft"
mv "$draft" "$file"
echo "wrote $file"
