#!/bin/bash
# Creates the database in a new volume, and runs the SQL files of /docker-entrypoint-initdb.d before the server accepts outside
# connections.
set -euo pipefail

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  chmod 700 "$PGDATA"
  initdb --username=postgres --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") --auth-local=trust --auth-host=scram-sha-256
  printf '\nhost all all all scram-sha-256\n' >> "$PGDATA/pg_hba.conf"
  pg_ctl --wait start --options="-c listen_addresses=''"
  for file in /docker-entrypoint-initdb.d/*.sql; do
    psql --set ON_ERROR_STOP=1 --username postgres --dbname postgres --file "$file"
  done
  pg_ctl --wait --mode=fast stop
fi

exec "$@" -c listen_addresses='*'
