# ./dev chaos: load while faults strike, and a judgement of the history. Sourced by ./dev, whose install, configure and job_count it
# uses, after servers.sh.

cmd_chaos() {
  install build test
  if [[ " $* " == *rabbitmq* ]]; then offer_broker; fi
  # The same settings as for the tests: the folder is theirs too, and is not built anew for this.
  configure release -DEILBOTE_TESTS=ON -DEILBOTE_WERROR=ON -DEILBOTE_PCH=ON -DEILBOTE_SCENARIOS=ON -DEILBOTE_UNITY="${CI:+ON}"
  cmake --build build/release --target chaos -j "$(job_count)"
  exec build/release/tests/chaos "$@"
}
