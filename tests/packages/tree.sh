# Sourced by the tests that need a bare Debian (or Ubuntu) of this machine's own release: unpacks one, runs commands in it.
#
#   make_tree FOLDER   an installed minimal system, from this machine's own apt sources; kept as an archive in $EILBOTE_TEST_TREES
#   in_tree FOLDER COMMAND...   in it, as root, with /proc and /dev
#   left_out REASON    says loudly that the test cannot run here, and ends it with 77, which ctest counts as skipped

left_out() { printf 'LEFT OUT: %s\n' "$*" >&2; exit 77; }
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
step() { printf -- '-- %s\n' "$*" >&2; }

# The files in which apt on this machine finds the distribution's own archives.
sources() {
  apt-get indextargets 'Created-By: Packages' --format '$(ORIGIN):$(SOURCESENTRY)' |
    sed -n -E 's/^(Debian|Ubuntu):(.*):[0-9]+$/\2/p' | sort -u
}

needs_a_tree() {
  [[ $EUID -eq 0 ]] || left_out "not root: no tree to install into"
  command -v mmdebstrap >/dev/null || left_out "mmdebstrap is not installed"
  unshare --mount --pid --fork true 2>/dev/null || left_out "no namespaces here"
  [[ -n "$(sources)" ]] || apt-get update -qq || true
  [[ -n "$(sources)" ]] || left_out "apt on this machine has no sources of Debian or Ubuntu"
}

make_tree() {
  local folder="$1" archive
  archive="$EILBOTE_TEST_TREES/$(. /etc/os-release && echo "$ID-$VERSION_CODENAME").tar"
  if [[ ! -s "$archive" ]]; then
    mkdir -p "$EILBOTE_TEST_TREES"
    # Proxies and the like are this machine's; what they are stays out of the project.
    apt-config dump Acquire | grep -E '^Acquire::(http|https|Check-Valid-Until|Retries|ForceIPv4|ForceIPv6)' >"$archive.conf" || true
    step "a minimal system, once, into $archive"
    # shellcheck disable=SC2046  # one argument per file
    mmdebstrap --quiet --variant=minbase --format=tar --skip=cleanup/apt/lists --aptopt="$archive.conf" '' "$archive.part" $(sources) ||
      left_out "a minimal system could not be made (no network?)"
    mv "$archive.part" "$archive"
  fi
  tar -C "$folder" -xf "$archive" --exclude='./dev/*'
  cp -L /etc/resolv.conf "$folder/etc/resolv.conf"
  # There is no systemd in a tree: no package may start a service.
  printf '#!/bin/sh\nexit 101\n' >"$folder/usr/sbin/policy-rc.d"
  chmod 755 "$folder/usr/sbin/policy-rc.d"
}

# A namespace of its own: when the command ends, what it started and mounted is gone. TREE_MOUNTS adds to the mounts. Of
# this shell's variables only the way to the network comes along.
in_tree() {
  local folder="$1"; shift
  unshare --mount --pid --fork --kill-child -- bash -euc '
    tree="$1"; shift
    mount --make-rprivate /
    mount --bind "$tree" "$tree"
    mount --rbind /dev "$tree/dev"
    mount -t proc proc "$tree/proc"
    eval "${TREE_MOUNTS:-}"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 ${http_proxy:+http_proxy="$http_proxy"} \
      ${https_proxy:+https_proxy="$https_proxy"} chroot "$tree" "$@"' in_tree "$folder" "$@"
}

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for() {
  local end=$((SECONDS + $1)); shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || return 1
    sleep 0.1
  done
}

# stop PID SIGNAL: to what in_tree runs in the background under this id, at the end of the line of processes that began
# with it; answers with its exit code.
stop() {
  local leaf="$1" child
  while child="$(pgrep -P "$leaf" | head -1)" && [[ -n "$child" ]]; do leaf="$child"; done
  kill -s "$2" "$leaf"
  timeout 40 tail --pid="$leaf" -f /dev/null || fail "the server is still there 40 s after $2"
  wait "$1"
}

# package_in FOLDER: the Debian package there.
package_in() {
  compgen -G "$1/eilbote_*.deb" || left_out "there is no package in $1; package_test.sh makes it"
}
