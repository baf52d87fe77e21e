#!/bin/bash
# The Helm chart: chart_test.sh PROGRAM FOLDER. Renders it with Go's templates (in FOLDER), checks what comes out, and that
# what is checked in was made from it: deploy/kubernetes, and the chart's copy of the alert rules.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
source "$root/tests/packages/tree.sh"
program="$(realpath "${1:?chart_test.sh PROGRAM FOLDER}")"
folder="$(realpath "${2:?chart_test.sh PROGRAM FOLDER}")"

# built BUILD.SH: compiles the render.go beside it; prints its exit code.
built() { local code=0; "$1" "$folder" >&2 || code=$?; echo "$code"; }
mkdir -p "$folder/broken"
cp "$root/deploy/helm/render/build.sh" "$folder/broken"
echo 'package main; oops' >"$folder/broken/render.go"
broken="$(built "$folder/broken/build.sh" 2>/dev/null)"
case "$(built "$root/deploy/helm/render/build.sh")" in
  0) ;;
  77) left_out "the chart cannot be rendered: Go and its libraries are not installed" ;;
  *) fail "render.go cannot be compiled" ;;
esac
[[ "$broken" != 0 && "$broken" != 77 ]] || fail "a render.go with an error passes as one that cannot be compiled here"

node "$root/tests/node/check_chart.js" "$folder/render" "$root/deploy/helm/eilbote" "$program"

rm -rf "$folder/kubernetes"
"$root/deploy/helm/render/manifests.sh" "$folder/render" "$folder/kubernetes"
diff -ru "$root/deploy/kubernetes" "$folder/kubernetes" || fail "deploy/kubernetes is not what the chart makes; run: ./dev manifests"
diff -u "$root/deploy/prometheus/alerts.yml" "$root/deploy/helm/eilbote/files/alerts.yml" ||
  fail "the chart has other alert rules than deploy/prometheus; run: ./dev manifests"

[[ -d "${EILBOTE_CONTRACTS:-}/k8s" ]] || left_out "there are no contracts k8s; EILBOTE_CONTRACTS names the folder. The rest was well"
"$folder/render" -chart "$root/deploy/helm/eilbote" -values "$root/deploy/helm/eilbote/examples/postgresql.yaml" -tests >"$folder/with_tests.yaml"
node "$root/tests/node/check_manifests.js" "$EILBOTE_CONTRACTS/k8s" "$root"/deploy/kubernetes/*.yaml "$folder/with_tests.yaml"
step "all well"
