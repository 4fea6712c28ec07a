#!/bin/sh
# Making an environment of 14 wheels (34 MB) from one server on loopback, every
# cache empty each time: `pull` of a tool with them, against pip and against uv,
# with and without bytecode; and the pull of a second tool with the same ones.
# Give it a built program, a Python 3.12 with pip, and uv:
#
#   make build && docs/bench/wheels.sh bin/patch-git python3.12 uv
#
# Nothing is deleted before the end, because ext4 is many times slower at making
# files for a while after others were removed; BENCH_WORK names another place for
# the work, such as a tmpfs.
set -eu
program=$(realpath "$1")
python=$(command -v "$2")
uv=$(command -v "$3")
runs=${BENCH_RUNS:-15}
cd "$(dirname "$0")/../.."
work=$(mktemp -d "${BENCH_WORK:-/tmp}/wheels-XXXXXX")
server=
trap 'test -n "$server" && kill "$server"; rm -rf "$work"' EXIT
go build -o "$work/pair" ./docs/bench/pair
go build -o "$work/serve" ./docs/bench/wheels
list=$PWD/docs/bench/wheels.txt
cp "$program" "$work/patch-git"
wheels=${BENCH_WHEELS:-$work/wheels}
test -d "$wheels" || "$python" -m pip download -q --no-deps --only-binary :all: -d "$wheels" -r "$list"
cd "$work"
mkdir homes targets caches
./serve -dir "$wheels" -certificate ca.pem >address &
server=$!
while ! test -s address; do sleep 0.1; done
index=$(cat address)
export SSL_CERT_FILE="$work/ca.pem" PIP_CERT="$work/ca.pem" UV_DEFAULT_INDEX="$index" PIP_INDEX_URL="$index"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore NO_PROXY=127.0.0.1
unset SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE HTTPS_PROXY https_proxy || true

# Two tools with these packages and one without, published to a registry here.
export PATCH_GIT_HOME="$work/maintainer" PATCH_GIT_PYTHON="$python" PATH="$(dirname "$uv"):$PATH"
./patch-git registry init registry --name bench/tools >/dev/null
for name in with_packages same_packages no_packages; do
  ./patch-git new $name --description "Count the words and lines of a text." -o $name.py >/dev/null 2>&1
  sed -i 's/python_version: "[0-9.]*"/python_version: "3.12"/' $name.py
  if [ $name != no_packages ]; then
    awk -v list="$list" '/python_version/ { print; print "#   packages:"; while ((getline line < list) > 0) print "#     - " line; next } !/packages: \[\]/' $name.py >x.py
    mv x.py $name.py
  fi
  ./patch-git publish $name.py --to registry --uploaded-before any >/dev/null 2>publish.log || { cat publish.log; exit 1; }
done
# The state that each pull begins with: the registry is known, and the Python.
export PATCH_GIT_HOME="$work/first"
./patch-git registry add registry >/dev/null 2>&1
./patch-git pull no_packages >/dev/null
export PATCH_GIT_HOME="$work/second"
cp -r first second
./patch-git pull with_packages >/dev/null

script() { { echo '#!/bin/sh -e'; cat; } >"$1" && chmod +x "$1"; }
script ours <<X
export PATCH_GIT_HOME=\$(mktemp -d $work/homes/XXXXXX)
cp -r $work/first/. \$PATCH_GIT_HOME
exec $work/patch-git pull with_packages
X
script pip <<X
exec $python -m pip install -q --no-deps --only-binary :all: --target \$(mktemp -d $work/targets/XXXXXX) -r $list
X
script pip_source <<X
exec $python -m pip install -q --no-compile --no-deps --only-binary :all: --target \$(mktemp -d $work/targets/XXXXXX) -r $list
X
script uv_source <<X
exec $uv pip install -q --no-deps --no-build --python $python --cache-dir \$(mktemp -d $work/caches/XXXXXX) --target \$(mktemp -d $work/targets/XXXXXX) -r $list
X
script uv_bytecode <<X
exec $uv pip install -q --compile-bytecode --no-deps --no-build --python $python --cache-dir \$(mktemp -d $work/caches/XXXXXX) --target \$(mktemp -d $work/targets/XXXXXX) -r $list
X
echo "== verified, unpacked and compiled, against pip, which compiles"
./pair -n "$runs" -a ./ours -b ./pip
echo "== against uv --compile-bytecode"
./pair -n "$runs" -a ./ours -b ./uv_bytecode
echo "== against uv, which by default does not compile"
./pair -n "$runs" -a ./ours -b ./uv_source
echo "== pip without compiling against uv, for the scale"
./pair -n "$runs" -a ./pip_source -b ./uv_source
echo "== pull of a second tool with the same packages, against one without any"
./pair -n "$runs" -a "./patch-git pull same_packages" -b "./patch-git pull no_packages"
cd "$OLDPWD"
echo "== the steps, in one process, in turns with uv: go test -bench Wheels ./internal/pyenv"
PATCH_GIT_BENCH_RIVAL="$work/uv_source" PATCH_GIT_BENCH_WHEELS="$wheels" TMPDIR="$work" go test -run '^$' -bench Wheels -benchtime 10x ./internal/pyenv
