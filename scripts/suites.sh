# How ./dev test builds and runs the tests of one kind of build, and counts them. Sourced by ./dev, whose say and build_tests
# it uses.

passed=0 failed=0 skipped=0 troubles=() unsteady=() not_run=()
# ctest would keep the first 300 KiB of what a failed test said; a sanitizer speaks last.
whole_output=(--test-output-size-failed 100000000)

attribute() { grep -oE -m1 "\b$1=\"[0-9]+\"" "$2" | head -1 | grep -oE '[0-9]+'; }

# One file with the known and harmless reports of the libraries we link; absent as long as there are none.
sanitizer_options() {
  export ASAN_OPTIONS="detect_stack_use_after_return=1:strict_string_checks=1"
  export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1"
  export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1"
  if [[ -f tests/support/tsan.supp ]]; then TSAN_OPTIONS+=":suppressions=$PWD/tests/support/tsan.supp"; fi
}

# run_suite PRESET FOLDER CTEST-ARGUMENTS...: runs the tests of a build folder and adds to the totals.
run_suite() {
  local preset="$1" folder="build/$2"; shift 2
  local report="$PWD/build/$preset/ctest-${folder##*/}.xml" runner=()
  rm -f "$report"
  # ThreadSanitizer of GCC 12 cannot live with the address randomisation of newer kernels.
  if [[ "$preset" == tsan ]] && setarch "$(uname -m)" -R true 2>/dev/null; then runner=(setarch "$(uname -m)" -R); fi
  # Most of them wait for a server, a lease or a retry: twice as many as there are cores keep these busy.
  "${runner[@]}" ctest --test-dir "$folder" -j "$((2 * $(nproc)))" --output-junit "$report" \
    "${whole_output[@]}" "${without_singles[@]}" "$@" || true
  if [[ ! -s "$report" ]]; then
    # A selection need not meet a test in every folder; that it met none at all is seen at the end.
    if [[ $# -eq 0 ]]; then failed=$((failed + 1)); troubles+=("$preset: ctest wrote no report"); fi
    return
  fi
  local total bad disabled left_out name last=""
  total="$(attribute tests "$report")" bad="$(attribute failures "$report")"
  disabled="$(attribute disabled "$report")" left_out="$(attribute skipped "$report")"
  python3 tests/print_failures.py "$report"
  look_again "$preset" "$folder" "$report"
  if [[ $bad -gt 0 ]]; then
    while read -r name; do troubles+=("$preset: $name"); done < <(python3 tests/print_failures.py --names "${last:-$report}")
  fi
  failed=$((failed + bad)) skipped=$((skipped + disabled + left_out))
  passed=$((passed + total - bad - disabled - left_out))
}

# look_again PRESET FOLDER REPORT: a few failed tests are run once more, one after the other on the idle machine; sets `bad`. Two cores
# that run four servers are late at times, and one late test would hide what two thousand others said. What passes now is told by its
# name at the end of the run, never in silence. What a sanitizer or the history checker found, or a test that draws at random, is never
# looked at again: it was seen, and another run draws something else.
look_again() {
  local preset="$1" folder="$2" report="$3" few=3
  local again="${report%.xml}-again.xml"
  rm -f "$again"
  if [[ $bad -eq 0 || $bad -gt $few ]]; then return; fi
  # Counted, not -q: grep must read to the end, or the pipe breaks and with it the answer.
  if python3 tests/print_failures.py --said "$report" |
    grep -cE 'Sanitizer: |runtime error: |EILBOTE_TEST_SEED=|the whole history: ' >/dev/null; then return; fi
  say "$preset: $bad failed; once more, alone"
  "${runner[@]}" ctest --test-dir "$folder" --rerun-failed --output-junit "$again" "${whole_output[@]}" \
    "${without_singles[@]}" || true
  if [[ ! -s "$again" ]]; then return; fi
  while read -r name; do
    unsteady+=("$preset: $name")
    bad=$((bad - 1))
  done < <(python3 tests/print_failures.py --passed-now "$report" "$again")
  last="$again"
}

# has_time_for MINUTES WHAT: a whole run has half an hour, or what EILBOTE_TEST_MINUTES says; what cannot be over by then is not begun,
# and named at the end: half a run that tells what it saw is worth more than a whole one that is cut off. Uses cmd_test's `started`.
has_time_for() {
  if [[ -z "$whole_run" ]]; then return; fi
  if ((SECONDS - started + $1 * 60 <= ${EILBOTE_TEST_MINUTES:-30} * 60)); then return; fi
  say "NO TIME for $2"
  not_run+=("$2")
  return 1
}

# build_ahead PRESET: builds the tests of the next kind while those of this one run. They mostly wait; the compilers get the processor
# only when nobody else wants it. A run that has an hour or more does without.
ahead="" ahead_pid=""
build_ahead() {
  if [[ -z "$whole_run" || "${EILBOTE_TEST_MINUTES:-30}" -ge 60 ]]; then return; fi
  ahead="$1"
  (
    chrt --idle --pid 0 "$BASHPID" >/dev/null 2>&1 || true
    build_tests "$ahead"
  ) >"build/$ahead.build.log" 2>&1 &
  ahead_pid=$!
  trap 'kill "$ahead_pid" 2>/dev/null || true' EXIT
}

# finish_build PRESET: builds its tests, or waits for them where that has begun.
finish_build() {
  say "$1: build"
  if [[ "$ahead" != "$1" ]]; then build_tests "$1"; return; fi
  ahead=""
  trap - EXIT
  if wait "$ahead_pid"; then return; fi
  cat "build/$1.build.log"
  return 1
}

# stage PRESET NEXT CTEST-ARGUMENTS...: builds and runs one kind of build; a build that fails is a failed test. NEXT: the kind that is
# built meanwhile, or nothing.
stage() {
  local preset="$1" next="$2"; shift 2
  if [[ "$preset" != release ]] && ! has_time_for 6 "$preset: everything"; then return; fi
  if ! finish_build "$preset"; then failed=$((failed + 1)); troubles+=("$preset: does not build"); return; fi
  if [[ -n "$next" ]]; then build_ahead "$next"; fi
  say "$preset: tests"
  run_suite "$preset" "$preset" "$@"
}

# sanitized_scenarios PRESET CTEST-ARGUMENTS...: the scenarios, against the program of that build. Uses cmd_test's `kinds`.
sanitized_scenarios() {
  local preset="$1"; shift
  if [[ -n "$kinds" && "$kinds" != *scenarios* ]]; then return; fi
  # A whole run has no time for both stores under both sanitizers: each gets the scenarios of one. The stores themselves are in the
  # conformance tests, which run on both under each.
  local one_store=()
  if [[ -n "$whole_run" ]]; then
    if [[ "$preset" == tsan ]]; then one_store=(-E 'sqlite$'); else one_store=(-E 'postgres$'); fi
  fi
  if ! has_time_for 14 "$preset: scenarios"; then return; fi
  if [[ ! -x "build/$preset/eilbote" ]]; then return; fi  # that it does not build was said
  if ! build_tests release; then failed=$((failed + 1)); troubles+=("release: does not build"); return; fi
  say "$preset: scenarios"
  EILBOTE_TEST_PROGRAM="$PWD/build/$preset/eilbote" run_suite "$preset" release -L '^scenarios$' "${one_store[@]}" "$@"
}
