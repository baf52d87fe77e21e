#!/bin/bash
# What the stages of the Containerfile do, as root in a bare Debian: `steps.sh build OUT` leaves the Debian package and what
# the second stage needs in OUT; `steps.sh runtime OUT` makes a system of it that runs the program and little else.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

# The number that Kubernetes and volumes see; the package would take any free one.
readonly user_id=10001

build() {
  local out="$1"
  "$here/../../dev" package
  mkdir -p "$out"
  cp "$here"/../../build/release/packages/eilbote_*.deb "$here/steps.sh" "$here/healthcheck.sh" "$out"
}

runtime() {
  local out="$1"
  groupadd --gid "$user_id" eilbote
  useradd --uid "$user_id" --gid "$user_id" --home-dir /var/lib/eilbote --no-create-home --shell /usr/sbin/nologin eilbote
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "$out"/eilbote_*.deb >/dev/null
  install -D -m 0755 "$out/healthcheck.sh" /usr/lib/eilbote/healthcheck
  # Nothing in here has to become root.
  find / -xdev -perm /6000 -type f -exec chmod a-s {} +
  apt-get clean
  rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/apt /var/log/dpkg.log
}

case "${1:-}" in
  build | runtime) [[ $# -eq 2 ]] || { echo "steps.sh: $1 needs a folder" >&2; exit 2; }; "$1" "$2" ;;
  *) echo "steps.sh: build FOLDER or runtime FOLDER; not '${1:-}'" >&2; exit 2 ;;
esac
