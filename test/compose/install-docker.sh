#!/bin/bash
# cspell:ignore sourcelist sourceparts libexec setsid
# Installs on Debian, as root, what npm run test:compose needs: Docker, Compose 2 and debootstrap. Starts Docker if no service does; to
# stop that one, kill the process of /var/run/docker.pid.
set -euo pipefail

apt-get update -qq
apt-get install -y -qq --no-install-recommends docker.io debootstrap iptables openssl >/dev/null

if ! docker compose version >/dev/null 2>&1; then
  # Debian 12 has Compose 1 only. The package of Debian 13 is one static program.
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  echo "deb http://deb.debian.org/debian trixie main" >"$work/trixie.list"
  options=(-o "Dir::Etc::sourcelist=$work/trixie.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists")
  mkdir -p "$work/lists/partial"
  apt-get update -qq "${options[@]}"
  (cd "$work" && apt-get download -qq "${options[@]}" docker-compose/trixie && dpkg-deb -x docker-compose_*.deb .)
  install -D "$work/usr/libexec/docker/cli-plugins/docker-compose" /usr/local/lib/docker/cli-plugins/docker-compose
fi

if ! docker info >/dev/null 2>&1; then
  setsid dockerd >/var/log/dockerd.log 2>&1 &
  for _ in $(seq 60); do docker info >/dev/null 2>&1 && break; sleep 0.5; done
fi
docker info --format 'Docker {{.ServerVersion}}'
docker compose version
