# ./dev mutants: plants each bug of tests/chaos/mutants into a scratch copy of the project, and says what finds it. Sourced by ./dev,
# whose say, die, install and job_count it uses. Its `mutants_apply` is a test of its own: a patch must not rot.
#
# A patch begins with a sentence that says what is wrong with it, and with a line `searched by:`, what is run until something finds
# it: `simulation`; `chaos`, a short run of each store (where tests/chaos has the program); `conformance:FILTER`, tests of the stores,
# for bugs in SQL that the simulation's model of a database cannot have.

mutants_folder=tests/chaos/mutants

mutants_known() { basename -a -s .patch "$mutants_folder"/*.patch; }

# Whether every patch still fits; names those that do not.
mutants_apply() {
  local patch bad=0
  for patch in "$mutants_folder"/*.patch; do
    git apply --check "$patch" || { echo "$patch does not apply any more: make it anew, or take it away" >&2; bad=1; }
    grep -q '^searched by: ' "$patch" || { echo "$patch does not say what searches for it" >&2; bad=1; }
  done
  return $bad
}

# The scratch copy: sources as they are now, and a build folder of its own, so that a mutant costs the files it changes.
mutants_prepare() {
  local file
  scratch="$PWD/build/mutants/tree"
  mkdir -p "$scratch"
  # Only what differs is written, so that nothing unchanged is compiled again.
  while IFS= read -r -d '' file; do
    if [[ -f "$file" ]] && ! cmp -s "$file" "$scratch/$file"; then command install -D -p "$file" "$scratch/$file"; fi
  done < <(git ls-files -z --cached --others --exclude-standard)
  while IFS= read -r file; do
    if [[ ! -f "$file" ]]; then rm "$scratch/$file"; fi
  done < <(cd "$scratch" && find src sql tests -type f -not -path '*/node_modules/*')
  if [[ -d console/node_modules ]]; then ln -sfn "$PWD/console/node_modules" "$scratch/console/node_modules"; fi
  if [[ ! -f "$scratch/build/build.ninja" ]]; then
    cmake -S "$scratch" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DEILBOTE_TESTS=ON \
      -DEILBOTE_SCENARIOS=ON -DEILBOTE_PCH=ON >"$scratch.configure.log"
  fi
}

# mutant_patch NAME [-R]: plants it, or takes it out. The copy lies inside of this work tree and is none of its own: git is not to see
# the one around it.
mutant_patch() { (cd "$scratch" && GIT_CEILING_DIRECTORIES="$PWD/.." git apply "${@:2}" "$root/$mutants_folder/$1.patch"); }

# mutant_build TARGET...: in the scratch copy; what the compiler says is kept beside it.
mutant_build() { cmake --build "$scratch/build" -j "$(job_count)" --target "$@" >"$scratch.build.log" 2>&1; }

# mutant_search MEANS: runs one of them over the planted bug. 0: found, and `rule` says which rule; 1: not found; 2: it is not there.
mutant_search() {
  local log="$scratch.${1%%:*}.log" store
  case "$1" in
    simulation)
      mutant_build simulation || return 3
      if "$scratch/build/tests/simulation" --seeds 50000 >"$log" 2>&1; then return 1; fi
      rule="$(grep -m1 -oP '(?<=^BROKEN with the seed ).*' "$log" | sed 's/^[0-9]*: //')"
      return 0 ;;
    chaos)
      compgen -G "tests/chaos/*.cpp" >/dev/null || return 2
      mutant_build eilbote chaos || return 3
      for store in sqlite postgres; do
        if ! "$scratch/build/tests/chaos" --seconds 40 --store "$store" >"$log" 2>&1; then
          rule="$(grep -m1 -oP '(?<= times: ).*|TROUBLE .*' "$log") ($store)"
          return 0
        fi
      done
      return 1 ;;
    conformance:*)
      mutant_build conformance_tests || return 3
      if "$scratch/build/tests/conformance_tests" --gtest_filter="${1#conformance:}" >"$log" 2>&1; then return 1; fi
      rule="$(grep -m1 -oP '(?<=^\[  FAILED  \] )[^ ,]+' "$log")"
      return 0 ;;
    *) die "a patch wants to be searched by '$1', which is not known" ;;
  esac
}

# mutant_try NAME: plants it, searches for it, takes it out again; adds a line to the table.
mutant_try() {
  local name="$1" began=$SECONDS means found="" missing="" rule="" code all
  mutant_patch "$name" || die "$name does not apply"
  # A list, and not words for the shell: a filter has stars.
  read -ra all < <(sed -n 's/^searched by: //p' "$mutants_folder/$name.patch")
  for means in "${all[@]}"; do
    code=0
    mutant_search "$means" || code=$?
    case $code in
      0) found="${means%%:*}"; break ;;
      2) missing+=" (no ${means%%:*} here)" ;;
      3) mutant_patch "$name" -R; tail -20 "$scratch.build.log" >&2; die "$name does not compile" ;;
    esac
  done
  mutant_patch "$name" -R
  if [[ -z "$found" ]]; then survivors+=("$name"); fi
  printf '%-28s %-12s %4s s  %s\n' "$name" "${found:-SURVIVES}" "$((SECONDS - began))" "$rule$missing"
}

cmd_mutants() {
  if [[ "${1:-}" == --check ]]; then mutants_apply; return; fi
  local names=("$@") name known survivors=() scratch root="$PWD"
  known="$(mutants_known)"
  for name in "${names[@]}"; do
    grep -qx -- "$name" <<<"$known" || die "mutants takes --check or any of" $known"; not '$name'"
  done
  if [[ ${#names[@]} -eq 0 ]]; then mapfile -t names <<<"$known"; fi
  install build test
  mutants_apply || die "patches that do not apply"
  mutants_prepare
  # Without any bug nothing is found: else every mutant would be.
  mutant_build simulation || { tail -20 "$scratch.build.log" >&2; die "the scratch copy does not compile"; }
  "$scratch/build/tests/simulation" --seeds 50000 >"$scratch.none.log" || die "the simulation fails without any mutant: see $scratch.none.log"
  printf '%-28s %-12s %6s  %s\n' mutant "found by" took rule
  for name in "${names[@]}"; do mutant_try "$name"; done
  if [[ ${#survivors[@]} -gt 0 ]]; then say "NOT FOUND: ${survivors[*]}"; return 1; fi
  say "all ${#names[@]} were found"
}
