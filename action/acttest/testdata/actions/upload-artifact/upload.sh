set -euo pipefail
into=$RUNNER_RESULTS/artifacts/$NAME
[ "$OVERWRITE" != true ] || rm -rf "$into"
[ ! -e "$into" ] || { echo "::error::an artifact with the name $NAME is there already"; exit 1; }
case $WHAT in *[\*\?\!~]*) echo "these tests do not know the pattern $WHAT"; exit 2 ;; esac
fresh=$(mktemp -d "$RUNNER_RESULTS/XXXXXX")
lines=$(grep -c . <<<"$WHAT")
cd "$GITHUB_WORKSPACE"
while IFS= read -r path; do
  [ -n "$path" ] || continue
  if [ -d "$path" ]; then
    [ "$lines" = 1 ] || { echo "these tests do not know several folders"; exit 2; }
    cp -a "$path/." "$fresh"
  elif [ -e "$path" ]; then
    cp "$path" "$fresh"
  fi
done <<<"$WHAT"
# What begins with a dot is left out unless that is asked for.
[ "$HIDDEN" = true ] || find "$fresh" -mindepth 1 -name '.*' -prune -exec rm -rf {} +
if [ -z "$(find "$fresh" -type f -print -quit)" ]; then
  rm -rf "$fresh"
  echo "no files were found with the path: $WHAT"
  [ "$NONE" != error ] || exit 1
  exit 0
fi
mkdir -p "$RUNNER_RESULTS/artifacts"
mv "$fresh" "$into"
