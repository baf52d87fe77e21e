# What ./dev has to show that the tests and the code are what they should be, beside running them: cppcheck, coverage and the soak.
# Sourced by ./dev, whose say, die, install, configure and job_count it uses.

# check_by_cppcheck ALL FILES: over the sources of src/ among these lines, or over all of it. GCC and clang-tidy find most of what it
# finds; it follows values otherwise. Its style checks are left out: they ask for const and for std algorithms in hundreds of places,
# and find no faults.
check_by_cppcheck() {
  local what=(src)
  if [[ "$1" != yes ]]; then mapfile -t what < <(grep '^src/' <<<"$2"); fi
  if [[ ${#what[@]} -eq 0 ]]; then return; fi
  cppcheck --std=c++20 --language=c++ -j "$(nproc)" --enable=warning,performance,portability -Isrc \
    --suppressions-list=scripts/cppcheck.supp --error-exitcode=1 --quiet "${what[@]}"
}

# The scenarios are asked for: they take a quarter of an hour. What a test does not reach, people look at; the numbers are no aim.
cmd_coverage() {
  local scenarios=OFF kinds='unit|conformance' programs=(eilbote unit_tests conformance_tests simulation) folder=build/coverage
  while [[ $# -gt 0 ]]; do
    case "$1" in
      --scenarios) scenarios=ON kinds+='|scenarios' programs+=(scenarios_tests) ;;
      *) die "coverage takes --scenarios; not '$1'" ;;
    esac
    shift
  done
  install build test
  install_npm tests
  offer_broker
  if [[ $scenarios == ON ]]; then offer_servers; fi
  configure coverage -DEILBOTE_TESTS=ON -DEILBOTE_SCENARIOS=$scenarios -DEILBOTE_PCH=ON -DEILBOTE_UNITY=ON
  cmake --build "$folder" --target "${programs[@]}" -j "$(job_count)"
  find "$folder" -name '*.gcda' -delete
  # Programs may run at the same time: gcov's runtime locks each file while it adds its counts. One that is killed leaves none. With counts they
  # are slow: no more at once than there are cores, or tests that measure time fail.
  local bad=0
  say "coverage: ${kinds//|/, }"
  EILBOTE_TEST_SCALE="${EILBOTE_TEST_SCALE:-0.1}" \
    ctest --test-dir "$folder" -L "^($kinds)\$" -j "$(nproc)" || bad=1
  say "coverage: simulation"
  "$folder/tests/simulation" --seeds 2000 || bad=1
  scripts/coverage.py "$folder" --jobs "$(nproc)" || bad=1
  return $bad
}

cmd_soak() {
  install build bench
  build_program
  cmake --build build/release --target eilbote_bench -j "$(job_count)"
  exec tests/soak/soak.py "$@"
}
