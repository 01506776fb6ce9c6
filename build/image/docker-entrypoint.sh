#!/bin/sh
# Starts PostgreSQL in the test image. It takes what the official image takes: POSTGRES_PASSWORD (or
# POSTGRES_HOST_AUTH_METHOD=trust), POSTGRES_USER, POSTGRES_DB, POSTGRES_INITDB_ARGS and PGDATA; arguments that begin
# with "-" or the word "postgres" start the server, anything else runs as it is. TCP is open only after the user, the
# password and the database exist, so that a successful connection means readiness.
set -eu

case "${1:-}" in
    -*) set -- postgres "$@" ;;
esac
[ "${1:-}" = postgres ] || exec "$@"

PGDATA=${PGDATA:-/var/lib/postgresql/data}
user=${POSTGRES_USER:-postgres}
database=${POSTGRES_DB:-$user}
method=${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}

if [ "$(id -u)" = 0 ]; then
    mkdir -p "$PGDATA" /var/run/postgresql
    chown -R postgres:postgres "$PGDATA" /var/run/postgresql
    chmod 700 "$PGDATA"
    exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
    if [ -z "${POSTGRES_PASSWORD:-}" ] && [ "$method" != trust ]; then
        echo "POSTGRES_PASSWORD is not set: set it, or POSTGRES_HOST_AUTH_METHOD=trust" >&2
        exit 1
    fi
    pwfile=$(mktemp)
    printf '%s\n' "${POSTGRES_PASSWORD:-}" >"$pwfile"
    password=
    [ -z "${POSTGRES_PASSWORD:-}" ] || password="--pwfile=$pwfile"
    # shellcheck disable=SC2086 # POSTGRES_INITDB_ARGS is a list of words by definition
    initdb --pgdata="$PGDATA" --username="$user" $password --encoding=UTF8 --locale=C.UTF-8 \
        --auth-local=trust --auth-host="$method" ${POSTGRES_INITDB_ARGS:-}
    rm -f "$pwfile"
    echo "host all all all $method" >>"$PGDATA/pg_hba.conf"
    echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
    if [ "$database" != postgres ]; then
        printf 'create database "%s";\n' "$(printf %s "$database" | sed 's/"/""/g')" |
            postgres --single -D "$PGDATA" -j postgres >/dev/null
    fi
fi

exec "$@"
