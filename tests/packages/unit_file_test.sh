#!/bin/bash
# The systemd unit as systemd reads it: unit_file_test.sh PROGRAM. It has no word that systemd does not know, its command
# exists, and what the service may do is little: `systemd-analyze security` gives 0 for nothing and 10 for everything.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/tree.sh"
program="$(realpath "${1:?unit_file_test.sh PROGRAM}")"
unit="$(dirname "${BASH_SOURCE[0]}")/../../deploy/systemd/eilbote.service"
command -v systemd-analyze >/dev/null || left_out "systemd-analyze is not installed"

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
sed "s|/usr/bin/eilbote|$program|; /^Documentation=/s|man:eilbote(1) ||" "$unit" >"$folder/eilbote.service"
complaints="$(systemd-analyze verify --man=no "$folder/eilbote.service" 2>&1 | grep -F eilbote.service || true)"
[[ -z "$complaints" ]] || fail "$complaints"
systemd-analyze security --offline=true --threshold=20 "$folder/eilbote.service" | tail -1 ||
  fail "the service may do more than it has to; it should stay below 2.0"

seconds_of() { sed -n "s/^$1=\([0-9]*\).*/\1/p" "$unit"; }
grace="$("$program" config --json |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["options"]["EILBOTE_SHUTDOWN_GRACE"]["value"].removesuffix("s"))')"
(($(seconds_of TimeoutStopSec) > grace)) || fail "systemd kills the service before its grace of $grace s is over"
step "all well"
