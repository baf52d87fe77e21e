#!/bin/bash
# manifests.sh RENDER FOLDER: the chart with each of its examples, as plain manifests. RENDER is the built render.go.
# `./dev manifests` writes deploy/kubernetes with it, and a test compares.
set -euo pipefail
render="$1" out="$2"
helm="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
mkdir -p "$out"

for values in "$helm"/eilbote/examples/*.yaml; do
  set="$(basename "$values" .yaml)" namespace=eilbote
  if [[ "$set" == surveyweb ]]; then namespace=surveyweb; fi
  {
    echo "# The chart (deploy/helm/eilbote) with examples/$set.yaml, for those without Helm; docs/install.md says how to use it."
    echo "# Made by ./dev manifests: change the values and render again, rather than this file."
    "$render" -chart "$helm/eilbote" -values "$values" -release eilbote -namespace "$namespace" -managed-by kubectl
  } >"$out/$set.yaml"
done
