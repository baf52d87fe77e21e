#!/bin/bash
# The tests of the console with a program: run.sh EILBOTE [PATTERN]. Pictures of every screen go to build/console-screens.
# Needs Debian's Chromium and Node.js 18 or newer; exit code 77 says that one of them is missing here.
#   EILBOTE_TEST_SCALE     1: 200,000 jobs (the default)
#   EILBOTE_TEST_CHROMIUM  another browser's path
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
EILBOTE_BINARY="$(realpath "${1:?run.sh EILBOTE [PATTERN]}")"
export EILBOTE_BINARY
missing() { printf 'console: %s; the tests of the console are skipped\n' "$*" >&2; exit 77; }

[[ -x "${EILBOTE_TEST_CHROMIUM:-/usr/bin/chromium}" ]] || missing "no Chromium at ${EILBOTE_TEST_CHROMIUM:-/usr/bin/chromium}"
[[ "$(node --version 2>/dev/null)" =~ ^v([0-9]+) && ${BASH_REMATCH[1]} -ge 18 ]] || missing "no Node.js 18 or newer"
[[ -d "$here/node_modules/playwright-core" ]] || missing "no npm packages (./dev test fetches them)"
cd "$here"
exec node --test-reporter=spec --test-reporter-destination=stdout suite.mjs "${@:2}"
