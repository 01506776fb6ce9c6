#!/bin/sh
# Builds the PostgreSQL image that the tests use where no image can be pulled: Debian packages in, one flat image out.
#
#   IMAGE                 name of the image (outbox-postgres:17)
#   SUITE, MAJOR          Debian suite and PostgreSQL major it holds (trixie, 17)
#   OUTBOX_IMAGE_MIRROR   Debian mirror; otherwise the first one in this machine's apt sources
#   FORCE=1               build even when the image is there and made by this recipe
set -eu

IMAGE=${IMAGE:-outbox-postgres:17}
SUITE=${SUITE:-trixie}
MAJOR=${MAJOR:-17}
here=$(cd "$(dirname "$0")" && pwd)

fail() {
    echo "image: $*" >&2
    exit 1
}

command -v docker >/dev/null || fail "the docker command is missing: install Docker (on Debian: apt-get install docker.io)"
docker version --format '{{.Server.Version}}' >/dev/null 2>&1 || fail "no Docker engine answers: start it or set DOCKER_HOST"

recipe=$(cat "$0" "$here/docker-entrypoint.sh" | sha256sum | cut -d ' ' -f 1)
present=$(docker image inspect --format '{{index .Config.Labels "outbox.recipe"}}' "$IMAGE" 2>/dev/null || true)
if [ "${FORCE:-0}" != 1 ] && [ "$present" = "$recipe" ]; then
    echo "image: $IMAGE is current (FORCE=1 rebuilds it)"
    exit 0
fi

[ "$(id -u)" = 0 ] || fail "debootstrap needs root: run this as root"
command -v debootstrap >/dev/null || fail "debootstrap is missing: apt-get install debootstrap"

mirror=${OUTBOX_IMAGE_MIRROR:-}
if [ -z "$mirror" ] && command -v apt-get >/dev/null; then
    # shellcheck disable=SC2016 # apt expands it
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 'Component: main' | head -n 1)
fi
[ -n "$mirror" ] || fail "this machine's apt sources name no Debian mirror: set OUTBOX_IMAGE_MIRROR"

# An apt proxy is the only way out on some machines, and debootstrap downloads without apt.
proxy=$(apt-config shell proxy Acquire::http::Proxy 2>/dev/null | sed -n "s/^proxy='\(.*\)'$/\1/p" || true)
if [ -n "$proxy" ] && [ "$proxy" != DIRECT ]; then
    http_proxy=${http_proxy:-$proxy}
    export http_proxy
fi

work=$(mktemp -d "${TMPDIR:-/var/tmp}/outbox-image.XXXXXX")
root=$work/root
trap 'umount "$root/proc" "$root/sys" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT
trap 'exit 1' INT TERM

# Neither a cluster nor a daemon may come to life inside the new root.
mkdir -p "$root/etc/postgresql-common/createcluster.d" "$root/usr/sbin"
echo 'create_main_cluster = false' >"$root/etc/postgresql-common/createcluster.d/outbox.conf"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"

echo "image: installing PostgreSQL $MAJOR from $SUITE"
if ! debootstrap --variant=minbase --include="postgresql-$MAJOR,postgresql-$MAJOR-plpgsql-check" "$SUITE" "$root" "$mirror" >"$work/log" 2>&1; then
    tail -n 20 "$work/log" >&2
    fail "debootstrap failed"
fi

rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/man/* "$root"/etc/postgresql/"$MAJOR" \
    "$root"/var/lib/postgresql/* "$root"/etc/resolv.conf "$root"/etc/hostname "$root"/etc/apt/sources.list
mkdir -p "$root/var/lib/postgresql/data" "$root/docker-entrypoint-initdb.d"
chroot "$root" chown -R postgres:postgres /var/lib/postgresql
install -d "$root/usr/local/bin"
install -m 755 "$here/docker-entrypoint.sh" "$root/usr/local/bin/docker-entrypoint.sh"

echo "image: importing $IMAGE"
old=$(docker image inspect --format '{{.Id}}' "$IMAGE" 2>/dev/null || true)
tar --numeric-owner --one-file-system -C "$root" -c . | docker import \
    --change "ENV PATH=/usr/local/bin:/usr/lib/postgresql/$MAJOR/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
    --change "ENV LANG=C.UTF-8" \
    --change "ENV PG_MAJOR=$MAJOR" \
    --change "ENV PGDATA=/var/lib/postgresql/data" \
    --change "LABEL outbox.recipe=$recipe" \
    --change "VOLUME /var/lib/postgresql/data" \
    --change "EXPOSE 5432" \
    --change 'ENTRYPOINT ["docker-entrypoint.sh"]' \
    --change 'CMD ["postgres"]' \
    - "$IMAGE" >/dev/null
if ! docker run --rm --network none "$IMAGE" psql --version; then
    docker image rm "$IMAGE" >/dev/null
    fail "the new image does not run"
fi
[ -z "$old" ] || docker image rm "$old" >/dev/null 2>&1 || true # may be in use
echo "image: built $IMAGE"
