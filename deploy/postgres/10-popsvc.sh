#!/bin/sh
# Runs once, when the database cluster is created. The service logs in as a user that owns only its database.
set -eu

psql --set=ON_ERROR_STOP=1 --set=password="$POPSVC_DATABASE_PASSWORD" --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
CREATE ROLE popsvc LOGIN PASSWORD :'password';
CREATE DATABASE popsvc OWNER popsvc;
REVOKE ALL ON DATABASE popsvc FROM PUBLIC;
SQL
