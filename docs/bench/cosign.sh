#!/bin/sh
# Verifying one file by its Sigstore bundle: this program against cosign, on the
# same bundle, offline, in turns. Give it a built program and cosign (make
# test-sigstore builds one):
#
#   make build && docs/bench/cosign.sh bin/patch-git cosign
set -eu
program=$(realpath "$1")
cosign=$(command -v "$2")
runs=${BENCH_RUNS:-60}
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/pair" ./docs/bench/pair
go build -o "$work/keyless" ./docs/bench/keyless
cd "$work"
export PATCH_GIT_HOME="$work/state" HOME="$work" # cosign writes there
./keyless .
"$program" registry add published/v1 --repository acme/tools --trusted-root trusted_root.json >/dev/null 2>&1
theirs="$cosign verify-blob-attestation --bundle tool.py.sigstore.json --trusted-root trusted_root.json --use-signed-timestamps"
theirs="$theirs --certificate-identity https://github.com/acme/tools/.github/workflows/publish.yml@refs/heads/main"
theirs="$theirs --certificate-oidc-issuer https://token.actions.githubusercontent.com --type https://github.com/patch-cat/patch-git/acceptance/v1 tool.py"
echo "== verifying a file, every bundle anew (nothing remembered: the cache is a file)"
rm -rf state/cache/verdicts && : >state/cache/verdicts
./pair -n "$runs" -a "$program verify --offline tool.py" -b "$theirs"
echo "== the same, remembered"
rm -f state/cache/verdicts
"$program" verify --offline tool.py >/dev/null
./pair -n "$runs" -a "$program verify --offline tool.py" -b "$theirs"
