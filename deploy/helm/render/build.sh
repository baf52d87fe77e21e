#!/bin/bash
# build.sh FOLDER: compiles render.go into FOLDER/render, with the libraries Debian installs for Go; no module is downloaded.
# Exit code 77: Go or a library is not installed.
set -euo pipefail
missing() { echo "build.sh: there is no $1 here" >&2; exit 77; }
command -v go >/dev/null || missing Go
for library in github.com/Masterminds/sprig sigs.k8s.io/yaml; do
  [[ -d "/usr/share/gocode/src/$library" ]] || missing "$library for Go"
done
mkdir -p "$1"
out="$(realpath "$1")"
GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE="$out/cache" GOFLAGS='' \
  go build -o "$out/render" "$(dirname "${BASH_SOURCE[0]}")/render.go"
