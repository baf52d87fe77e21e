#!/bin/bash
# healthcheck [HOST [PATH]]: does the server answer 200 on its metrics port? Bash alone, because the image has no HTTP client.
# The image's HEALTHCHECK and the chart's test call it; Kubernetes' own probes ask the port themselves.
set -euo pipefail
host="${1:-127.0.0.1}" path="${2:-/health/live}" port="${EILBOTE_METRICS_LISTEN##*:}"
exec 3<>"/dev/tcp/$host/$port"
printf 'GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$path" "$host" >&3
read -r -t 2 _ status _ <&3
[[ "$status" == 200 ]]
