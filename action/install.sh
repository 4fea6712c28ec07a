#!/usr/bin/env bash
# Puts patch-git, and what it needs, into $RUNNER_TEMP/patch-git-bin.
#
#   install.sh look   says in $GITHUB_OUTPUT whether Go is needed and missing
#   install.sh get    takes the released program that release.env names, or builds
#                     one from the sources around this script where it names none
#
# A released program runs only if it has the digest that release.env states and
# GitHub attests that the release workflow of this repository built it; that is
# asked of `gh`, because a program cannot vouch for itself.
set -euo pipefail
umask 022

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
repository=patch-cat/patch-git
releases="${PATCH_GIT_RELEASES:-https://github.com/$repository/releases/download}"
proto='=https' # of a mirror that somebody names also http: the digest decides
[ -z "${PATCH_GIT_RELEASES:-}" ] || proto='=https,http'

die() { echo "::error::patch-git: $*"; exit 1; }

# value NAME reads one line of release.env, which is not run.
value() { sed -n "s/^$1=\([0-9A-Za-z.]*\)$/\1/p" "$here/release.env"; }

version="$(value VERSION)"

look() {
  local go=unneeded
  if [ -z "$version" ]; then
    go=missing
    # Any Go from 1.21 up fetches the one that go.mod names, by its checksum.
    if command -v go >/dev/null && [[ "$(go env GOVERSION)" =~ ^go1\.([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge 21 ]; then
      go=found
    fi
  fi
  echo "go=$go" >>"$GITHUB_OUTPUT"
}

# released FILE downloads the program and checks it. It is not executable before.
released() {
  local arch want
  case "$(uname -m)" in
    x86_64) arch=amd64 ;;
    aarch64) arch=arm64 ;;
    *) die "there is no release for $(uname -m)" ;;
  esac
  want="$(value "SHA256_$arch")"
  [[ "$want" =~ ^[0-9a-f]{64}$ ]] || die "release.env has no digest for $arch"
  command -v gh >/dev/null || die "gh is missing, which checks where the program was built"
  curl --proto "$proto" --proto-redir '=https' -fsSL --retry 3 --max-time 300 --max-filesize 209715200 \
    -o "$1" "$releases/v$version/patch-git-action_linux_$arch" || die "the release v$version could not be downloaded"
  echo "$want  $1" | sha256sum --check --status || die "the program of the release v$version is not the one that release.env names"
  # Not --signer-workflow, of which gh compares the beginning alone: release.yml.yml would do.
  gh attestation verify "$1" --repo "$repository" --cert-identity "https://github.com/$repository/.github/workflows/release.yml@refs/tags/v$version" \
    --source-ref "refs/tags/v$version" --deny-self-hosted-runners >/dev/null ||
    die "the program of the release v$version is not attested to be built by $repository, or GitHub cannot be asked; the lines above say which"
}

built() {
  (cd "$here/.." && CGO_ENABLED=0 GOFLAGS=-mod=readonly GOTOOLCHAIN=auto \
    go build -trimpath -buildvcs=false -ldflags='-s -w' -o "$1" ./cmd/patch-git) || die "the program could not be built"
}

# resolver brings uv, by digest, to the modes that install packages of tools.
resolver() {
  command -v uv >/dev/null && return
  python3 -m venv "$bin/uv-venv"
  "$bin/uv-venv/bin/pip" install -q --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -r "$here/uv.txt"
  ln -sf "$bin/uv-venv/bin/uv" "$bin/uv"
}

get() {
  bin="$RUNNER_TEMP/patch-git-bin"
  rm -rf "$bin"
  mkdir -p "$bin"
  if [ -n "$version" ]; then released "$bin/new"; else built "$bin/new"; fi
  chmod 755 "$bin/new"
  mv "$bin/new" "$bin/patch-git"
  case "${MODE:-}" in
    trial | publish) resolver ;;
  esac
  echo "$bin" >>"$GITHUB_PATH"
}

case "${1:-}" in
  look | get) "$1" ;;
  *) die "usage: install.sh look|get" ;;
esac
