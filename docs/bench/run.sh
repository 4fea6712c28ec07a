#!/bin/sh
# Whole-process figures of docs/benchmarks.md: the program against bare Python
# and against uv, and a cold pull from a far-away host. Give it a built program;
# needs Go, a Python of the minor version below, and for the comparison uv.
#
#   make build && docs/bench/run.sh bin/patch-git
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
minor=${BENCH_PYTHON:-3.12}
runs=${BENCH_RUNS:-60}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A copy, as people have it: the linker's own file is dearer to map, and each
# start takes up to half a millisecond longer.
program=$work/patch-git
cp "$1" "$program"
export PATCH_GIT_HOME="$work/state"
cd "$here"
go build -o "$work/pair" ./docs/bench/pair
go build -o "$work/slow" ./docs/bench/slow
cd "$work"

# A hello tool that declares the interpreter that it is compared with.
"$program" new hello_bench --description "Count the words and lines of a text." -o hello.py >/dev/null 2>&1
sed -i "s/python_version: \"[0-9.]*\"/python_version: \"$minor\"/" hello.py
"$program" registry init registry --name bench/tools >/dev/null
"$program" publish hello.py --to registry >/dev/null
"$program" registry add registry >/dev/null 2>&1
"$program" pull hello_bench >/dev/null
echo '{"text":"a b"}' >args.json
"$program" run hello_bench --text "a b" >/dev/null
python=$("$program" runs --json "$("$program" runs --json --limit 1 | sed 's/.*"run_id":"\([^"]*\)".*/\1/')" | sed 's/.*"path":"\([^"]*\)".*/\1/')

echo "== start-up"
"$work/pair" -n "$runs" -a "$program version" -b /bin/true
echo "== run of a hello tool, warm, everything verified, against bare Python"
"$work/pair" -n "$runs" -a "$program run hello_bench --text ab" -b "$python -I hello.py" -stdin args.json
if command -v uv >/dev/null; then
  echo "== the same against uv run --script"
  { printf '# /// script\n# requires-python = "==%s.*"\n# dependencies = []\n# ///\n' "$minor"; cat hello.py; } >hello_uv.py
  uv run --offline --python "$python" --script hello_uv.py <args.json >/dev/null
  "$work/pair" -n "$runs" -a "$program run hello_bench --text ab" -b "uv run --offline --python $python --script hello_uv.py" -stdin args.json
fi
echo "== verifying an installed tool again"
"$work/pair" -n "$runs" -a "$program verify hello_bench" -b "$program version"

echo "== checking a tool that was checked before, and one that was never seen"
"$program" check hello.py >/dev/null
printf '#!/bin/sh\n{ cat hello.py; echo "# $(date +%%N)"; } >fresh.py\nexec "$@" fresh.py\n' >fresh
chmod +x fresh
if command -v bandit >/dev/null; then
  "$work/pair" -n "$runs" -a "$program check hello.py" -b "bandit -q --exit-zero hello.py"
  "$work/pair" -n "$runs" -a "./fresh $program check" -b "./fresh bandit -q --exit-zero"
else
  "$work/pair" -n "$runs" -a "$program check hello.py" -b "./fresh $program check"
fi

echo "== cold exact pull over HTTP, 50 ms added each way"
"$work/slow" -dir registry/published -listen 127.0.0.1:8037 >/dev/null &
slow=$!
sleep 1
export PATCH_GIT_HOME="$work/far"
"$program" registry add http://127.0.0.1:8037 >/dev/null 2>&1
kill -INT $slow
wait $slow || true
"$work/slow" -dir registry/published -listen 127.0.0.1:8037 >pull.txt &
slow=$!
sleep 1
"$program" pull hello_bench@0.1.0 >/dev/null
kill -INT $slow
wait $slow || true
cat pull.txt
