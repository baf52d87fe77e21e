# ./dev simulate: histories of a simulated world, by seed (tests/simulation). Sourced by ./dev, whose say, install and build_tests it
# uses.

cmd_simulate() {
  local program=build/release/tests/simulation
  install build test
  # A folder of someone at work has the tests in it already; else only what the simulation is made of is compiled.
  if [[ ! -f build/release/build.ninja ]]; then configure release -DEILBOTE_WERROR=ON -DEILBOTE_PCH=ON; fi
  if ! grep -q '^build simulation:' build/release/build.ninja; then configure release -DEILBOTE_TESTS=ON; fi
  cmake --build build/release --target simulation -j "$(job_count)"
  exec "$program" "$@"
}
