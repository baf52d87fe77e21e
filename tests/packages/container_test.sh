#!/bin/bash
# The image's steps without an engine: container_test.sh FOLDER, where the package is. The second stage runs in a bare
# system, with the package that the first would have made (it calls `./dev package` too); then the program runs as the image
# says: its user, its variables, a read-only root, no capabilities. EILBOTE_TEST_CONTAINER=full runs the first stage as
# well, by an engine where there is one, else in the bare system; it compiles everything.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/tree.sh"
package="$(package_in "${1:?container_test.sh FOLDER}")"
root="$(realpath "$here/../..")" file="$here/../../deploy/container/Containerfile"

engine() { local e; for e in docker podman; do if "$e" info >/dev/null 2>&1; then echo "$e"; return; fi; done; }
if [[ "${EILBOTE_TEST_CONTAINER:-}" == full && -n "$(engine)" ]]; then
  step "$(engine) build"
  "$(engine)" build -f "$file" -t eilbote-test "$root"
  "$(engine)" run --rm --read-only --cap-drop ALL eilbote-test version
  exit 0
fi
[[ -n "$(engine)" ]] || printf 'NO CONTAINER ENGINE here: the steps of %s are run in a bare system instead\n' "$(basename "$file")" >&2
needs_a_tree

tree="$(mktemp -d)"
server=""
clean_up() {
  if [[ -n "$server" ]]; then stop "$server" KILL || true; fi
  rm -rf --one-file-system "$tree"
}
trap clean_up EXIT
make_tree "$tree"
mkdir "$tree/out"

if [[ "${EILBOTE_TEST_CONTAINER:-}" == full ]]; then
  step "first stage"
  mkdir "$tree/src"
  git -C "$root" archive HEAD | tar -x -C "$tree/src"
  in_tree "$tree" sh -c 'apt-get update -qq && /src/deploy/container/steps.sh build /out'
  rm -rf "$tree/src"
else
  cp "$package" "$root"/deploy/container/{steps,healthcheck}.sh "$tree/out"
fi

step "second stage"
in_tree "$tree" /out/steps.sh runtime /out
rm -rf "$tree/out"
[[ -z "$(find "$tree" -xdev -perm /6000 -type f)" ]] || fail "programs that become another user are left"
[[ -z "$(compgen -G "$tree/var/lib/apt/lists/*")" ]] || fail "package lists are left in the image"
! compgen -G "$tree/usr/bin/*g++*" >/dev/null || fail "a compiler is in the image"

# of_file WORD: the rest of the Containerfile's last line that begins with it; continued lines are one.
of_file() { sed -e ':a' -e '/\\$/N; s/\\\n */ /; ta' "$file" | sed -n "s/^$1 *//p" | tail -1; }
# words_of '["a", "b"]'
words_of() { tr -d '[]",' <<<"$1"; }

[[ "$(of_file LABEL)" != *'="/'* ]] || fail "a label names a file of the image; a slim base leaves documentation out"

step "the program, as the image runs it"
user="$(of_file USER)" volume="$(of_file VOLUME)"
[[ "$user" =~ ^[1-9][0-9]*:[1-9][0-9]*$ ]] || fail "USER is '$user', and must be numbers that Kubernetes can check"
[[ "$(stat -c %u:%g "$tree$volume")" == "$user" ]] || fail "$volume is not the user's"
port="$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
# shellcheck disable=SC2046,SC2086  # words on purpose
as_image() {
  TREE_MOUNTS='mount --bind "$tree'"$volume"'" "$tree'"$volume"'"; mount -t tmpfs tmpfs "$tree/tmp"; mount -o remount,bind,ro "$tree"' \
    in_tree "$tree" setpriv --reuid "${user%:*}" --regid "${user#*:}" --clear-groups --no-new-privs --bounding-set=-all \
    --inh-caps=-all env -C "$(of_file WORKDIR)" $(of_file ENV) EILBOTE_METRICS_LISTEN="127.0.0.1:$port" "$@"
}
# From other machines it must not answer without tokens; here it listens for itself.
if as_image $(words_of "$(of_file ENTRYPOINT)") $(words_of "$(of_file CMD)") 2>"$tree/server.log"; then
  fail "it started for everybody, without tokens"
fi
grep -q EILBOTE_AUTH "$tree/server.log" || { cat "$tree/server.log" >&2; fail "it does not say why it did not start"; }
if as_image touch /usr/here 2>/dev/null; then fail "the root is not read-only"; fi
as_image env EILBOTE_LISTEN=127.0.0.1:0 $(words_of "$(of_file ENTRYPOINT)") $(words_of "$(of_file CMD)") \
  >"$tree/ready" 2>"$tree/server.log" &
server=$!
wait_for 30 grep -q '^eilbote ready on ' "$tree/ready" || { cat "$tree/server.log" >&2; fail "it did not start"; }
check="$(sed -n 's/.*CMD \["\(.*\)"\]$/\1/p' <<<"$(of_file HEALTHCHECK)")"
as_image "$check" || fail "the HEALTHCHECK says no to a healthy server"
curl -fsS "http://127.0.0.1:$port/health/ready" >/dev/null || fail "/health/ready does not answer on the metrics port"
stop "$server" "$(of_file STOPSIGNAL)" || fail "it ended with $? after $(of_file STOPSIGNAL)"
server=""
if as_image "$check" 2>/dev/null; then fail "the HEALTHCHECK says yes to a server that is gone"; fi
step "all well"
