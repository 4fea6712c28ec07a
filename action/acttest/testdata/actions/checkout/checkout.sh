set -euo pipefail
case $GITHUB_EVENT_NAME in pull_request_target|workflow_run)
  # As version 7 does: what a fork brings has no place beside secrets.
  if [ "$REPOSITORY" != "$GITHUB_REPOSITORY" ] || [[ $REF == refs/pull/* || $REF == pull/* ]] || { [ -n "$HEAD_OF_PULL" ] && [ "$REF" = "$HEAD_OF_PULL" ]; }; then
    echo "::error::checkout refuses code of a pull request under $GITHUB_EVENT_NAME"
    exit 1
  fi
esac
dir=$GITHUB_WORKSPACE/$INTO
mkdir -p "$dir"
cd "$dir"
git init -q -b main .
git remote add origin "$GITHUB_SERVER_URL/$REPOSITORY"
git config "http.$GITHUB_SERVER_URL/.extraheader" "AUTHORIZATION: basic $(printf 'x-access-token:%s' "$TOKEN" | base64 -w0)"
git config gc.auto 0
branch='' want=$REF
if [ -z "$REF" ] && [ "$REPOSITORY" = "$GITHUB_REPOSITORY" ]; then
  want=$GITHUB_SHA
  case $GITHUB_REF in refs/heads/*) branch=${GITHUB_REF#refs/heads/} ;; esac
elif [[ ! $REF =~ ^[0-9a-f]{40}$ ]]; then
  branch=${REF#refs/heads/} want=refs/heads/$branch
fi
if [ "$DEPTH" = 0 ]; then
  git fetch -q --prune origin '+refs/heads/*:refs/remotes/origin/*' '+refs/tags/*:refs/tags/*'
  [ -n "${want##refs/heads/*}" ] || want=refs/remotes/origin/$branch
else
  git fetch -q --no-tags --depth="$DEPTH" origin "$want"
  want=FETCH_HEAD
fi
if [ -n "$branch" ]; then
  git update-ref "refs/remotes/origin/$branch" "$(git rev-parse "$want^{commit}")"
  git checkout -q --force -B "$branch" "refs/remotes/origin/$branch"
else
  git checkout -q --force --detach "$want"
fi
[ "$PERSIST" = true ] || git config --unset "http.$GITHUB_SERVER_URL/.extraheader"
git log -1 --format='checked out %H'
