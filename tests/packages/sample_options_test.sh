#!/bin/bash
# The options that the Debian package brings as comments: sample_options_test.sh PROGRAM. Whoever takes away the "# " of a
# paragraph, or of all of them, has a file that the program takes.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/tree.sh"
program="$(realpath "${1:?sample_options_test.sh PROGRAM}")"
sample="$(dirname "${BASH_SOURCE[0]}")/../../deploy/debian/eilbote.toml"

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
# uncommented WHICH: the file with the options of a paragraph, by its number, or of all.
uncommented() {
  awk -v which="$1" '!NF { ++part } (which == "all" || which == part + 0) && /^# (\[[a-z.]+\]|[a-z_]+ = )/ { sub(/^# /, "") } 1' "$sample"
}
paragraphs="$(grep -c '^$' "$sample")"
((paragraphs >= 3)) || fail "only $paragraphs paragraphs were found in eilbote.toml"
for which in $(seq 0 "$paragraphs") all; do
  uncommented "$which" >"$folder/eilbote.toml"
  (cd "$folder" && env -i "$program" config --config eilbote.toml >/dev/null) || fail "with paragraph $which of eilbote.toml the program does not start"
done
! cmp -s "$sample" "$folder/eilbote.toml" || fail "eilbote.toml has no options as comments"
step "all well"
