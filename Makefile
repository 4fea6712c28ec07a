# Everything that a change must pass: `make check`. The tests alone: `go test ./...`.

GO      ?= go
TOOLS    = $(GO) tool -modfile=tools.mod
SOURCES  = $(shell git ls-files '*.go')

.PHONY: check fmt tidy vet static lint test race fuzz bench eval-quarantine eval-quarantine-write eval-quarantine-check test-hostile network lint-workflows test-start test-nobody test-escape test-sigstore test-release test-act test-cgroup test-container build build-full test-embed cross test-sarif leaks eval-search eval-search-write eval-search-check eval-taint eval-taint-write eval-taint-check test-site test-mcp test-mcp-load bench-mcp bench-mcp-write train-search test-ajv test-install test-keyring

check: fmt tidy vet static lint test race

fmt:
	@out=$$($(TOOLS) gofumpt -l $(SOURCES)); if [ -n "$$out" ]; then echo "gofumpt differs:"; echo "$$out"; exit 1; fi

# Every list of modules is what its imports ask for. The modules apart take what the
# product takes, so that a dependency raised here must be raised there.
tidy:
	$(GO) mod tidy -diff
	cd docs/leaks && $(GO) mod tidy -diff
	cd docs/ranking && $(GO) mod tidy -diff
	cd docs/bench/mcp && $(GO) mod tidy -diff

vet:
	$(GO) vet ./...

static:
	$(TOOLS) staticcheck ./...

lint:
	$(GO) tool -modfile=lint.mod golangci-lint run ./...

# The workflows, by zizmor, which is a Python package: pip install zizmor==1.32.0.
# actionlint looks at them in `go test ./action/workflows`.
lint-workflows:
	zizmor --offline --no-progress --quiet --persona pedantic .github/workflows .github/actions/patch-git/action.yml action.yml

test:
	$(GO) test ./...

# Every room in which something runs side by side.
race:
	CGO_ENABLED=1 $(GO) test -race -shuffle=on $$(.ci/beside)

# Each fuzz target for a short while; `make fuzz FUZZTIME=10m` for a long one.
FUZZTIME ?= 10s
fuzz:
	@GO=$(GO) .ci/fuzz $(FUZZTIME)

# Figures of docs/benchmarks.md.
bench: build
	$(GO) test -run '^$$' -bench . -benchtime 1s ./registry ./manifest ./ledger ./verify ./internal/keyless ./internal/verdicts ./internal/inspect ./internal/sandbox ./internal/usernet ./internal/pyenv ./internal/consume ./internal/contribute ./internal/taint ./internal/notes
	./docs/bench/run.sh ./bin/patch-git

# `check` of thousands of broken tools and of every bomb: each must end by itself,
# with a verdict. And sources that want to be expensive, in their whole size.
test-hostile:
	PATCH_GIT_HOSTILE_TOOLS=$${PATCH_GIT_HOSTILE_TOOLS-2000} $(GO) test -count=1 -timeout 30m -run 'TestHostileTools|TestCheckIsBounded' ./cmd/patch-git
	PATCH_GIT_HOSTILE_TOOLS=1 $(GO) test -count=1 -timeout 30m -run 'Bound|Linear' ./quarantine

# What the rules of quarantine find, and wrongly find, in the data of
# PATCH_GIT_EVAL_DATA (../shared/data/quarantine unless set), which are not part of
# the project. -write puts the figures into docs/quarantine.md; -check fails where
# the document says something else, and only says so where there are no data.
# EVAL='-v' prints every miss, EVAL='-compare' runs GuardDog and Bandit beside it.
eval-quarantine:
	$(GO) run ./docs/eval $(EVAL)

eval-quarantine-write:
	$(GO) run ./docs/eval -write $(EVAL)

eval-quarantine-check:
	$(GO) run ./docs/eval -check $(EVAL)

# The SARIF that a check writes, against the schema of OASIS, which comes with the
# source of one of the linters. Where that was fetched, `go test` does it too.
test-sarif:
	$(GO) mod download -modfile=lint.mod github.com/securego/gosec/v2
	PATCH_GIT_SARIF_TESTS=1 $(GO) test -count=1 -run SARIF ./internal/cli

# Tests that fetch real packages through the Python package index.
network:
	PATCH_GIT_NETWORK_TESTS=1 $(GO) test -count=1 -timeout 20m ./internal/pyenv ./tooltests

# Tools that are install manifests, with real packages of npm from the registry that
# npm is configured with.
test-install:
	PATCH_GIT_INSTALL_TESTS=1 npm_config_registry="$$(npm config get registry)" $(GO) test -count=1 -run Real ./internal/provision

# The rule about secrets against gitleaks, which comes through the Go module proxy
# and is no part of the program. PATCH_GIT_LEAKS_FILES names files of JSON lines,
# each with a text, of which it counts what is flagged.
leaks:
	cd docs/leaks && $(GO) vet ./... && $(GO) test -count=1 -timeout 10m -v ./...

# The ranking of the search beside SQLite's FTS5 and bleve as it comes, on the sets of
# PATCH_GIT_RETRIEVAL_DATA (../shared/data/retrieval unless set), which are not part of
# the project. -write puts the figures into docs/search.md and docs/benchmarks.md;
# -check fails where docs/search.md says something else, and only says so where there
# are no sets. SEARCH=-times also measures catalogues of 10,000 and 100,000 tools.
eval-search:
	cd docs/ranking && $(GO) run . $(SEARCH)

eval-search-write:
	cd docs/ranking && $(GO) run . -write $(SEARCH)

eval-search-check:
	cd docs/ranking && $(GO) vet ./... && $(GO) run . -check $(SEARCH)

# Package taint against traces of an agent that obeys every order it reads, of
# PATCH_GIT_TAINT_DATA (../shared/data/taint unless set), which are not part of the
# project. -write puts the figures into docs/taint.md; -check fails where a target is
# missed, and only says so where there are no traces.
eval-taint:
	$(GO) run ./docs/taint-eval $(TAINT)

eval-taint-write:
	$(GO) run ./docs/taint-eval -write $(TAINT)

eval-taint-check:
	$(GO) run ./docs/taint-eval -check $(TAINT)

# Signing and verifying against the services of Sigstore themselves, on this
# machine. The first time builds them, for some ten minutes, into
# PATCH_GIT_SIGSTORE_CACHE (a folder in the user's cache unless set);
# PATCH_GIT_SIGSTORE_TESTS=0 skips it. The cosign among them then also reads what
# our own Sigstore for tests signs; its version is the one in build_test.go there.
# Who signs waits for the log and not for a core, so that many can at once.
SIGSTORE_CACHE = $(or $(PATCH_GIT_SIGSTORE_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/patch-git-sigstore)
test-sigstore:
	PATCH_GIT_SIGSTORE_TESTS=$${PATCH_GIT_SIGSTORE_TESTS-1} $(GO) test -count=1 -timeout 60m -parallel 16 -skip '^TestRelease$$' -v ./internal/keyless/realtest
	PATH="$(SIGSTORE_CACHE)/cosign@v3.1.3:$$PATH" $(GO) test -count=1 -run TestCosign -v ./internal/sigtest

# A release of this program: built twice with the same bytes, attested as its workflow
# does, and taken by the action, with the GitHub CLI itself, which the first time builds.
test-release:
	PATCH_GIT_SIGSTORE_TESTS=$${PATCH_GIT_SIGSTORE_TESTS-1} $(GO) test -count=1 -timeout 60m -run '^TestRelease$$' -v ./internal/keyless/realtest

# The workflows of a registry, run by act on real repositories, without a network.
# The first time builds act, which comes through the Go module proxy, into
# PATCH_GIT_ACT_CACHE (a folder in the user's cache unless set); PATCH_GIT_ACT_TESTS=0
# skips it.
test-act:
	PATCH_GIT_ACT_TESTS=$${PATCH_GIT_ACT_TESTS-1} $(GO) test -count=1 -timeout 20m -v ./action/acttest

# The tests of the limits over a whole tree, under a real kernel with cgroup v2
# that qemu emulates: no rights are needed, and nothing of this machine is touched.
# qemu, the kernel and a Python are Debian's packages, fetched once by apt-get and
# unpacked, not installed, into PATCH_GIT_CGROUP_CACHE (a folder in the user's cache
# unless set).
test-cgroup:
	PATCH_GIT_CGROUP_TESTS=1 CGO_ENABLED=0 $(GO) test -count=1 -timeout 20m -v ./internal/sandbox/vmtest

# What every start pays, of the program as it is released: without cgo.
test-start:
	CGO_ENABLED=0 $(GO) test -count=1 -run 'TestInit|TestDeadMethods' ./cmd/patch-git

# As root: the tests of the sandbox once more without root's rights.
test-nobody:
	PATCH_GIT_NOBODY_TESTS=1 $(GO) test -count=1 -run TestAsNobody -v ./internal/sandbox

# Every attempt to escape, in every driver as every user.
test-escape:
	PATCH_GIT_ESCAPE_TESTS=1 $(GO) test -count=1 -run 'TestEscape|TestTheSuiteCanFail|TestNetworkIsTheInternetOnly' -v ./internal/sandbox

# The container driver against a real docker: the one whose service runs, else
# one that is started for the tests, which takes root and the program dockerd.
test-container:
	@GO=$(GO) .ci/container

# Secrets in a real keyring, GNOME's, in a session bus of its own; it takes the programs
# dbus-run-session and gnome-keyring-daemon.
test-keyring:
	@GO=$(GO) .ci/keyring

# The pages of three registries in Chromium: search, keys, what strangers wrote,
# weights, and what axe says. It needs node, npm and chromium; the pictures that it
# takes lie in internal/site/sitetest/testdata/artefacts.
test-site:
	cd internal/site/sitetest/testdata && npm ci --ignore-scripts --no-audit --no-fund
	PATCH_GIT_SITE_TESTS=1 $(GO) test -count=1 -timeout 20m -run TestBrowser ./internal/site/sitetest

# The MCP server against other people's programs: the protocol's conformance suite in
# two revisions, its inspector, and hosts of the TypeScript SDK in both eras. npm
# brings them and, on Linux, the node 22 that they need, all by digests.
MCP_CLIENTS = internal/mcpserver/mcptest/testdata
test-mcp:
	cd $(MCP_CLIENTS) && npm ci --ignore-scripts --no-audit --no-fund
	PATCH_GIT_MCP_TESTS=1 $(GO) test -count=1 -timeout 20m -v ./internal/mcpserver/mcptest

# The schemas of the formats held against ajv, on thousands of generated documents.
# AJV=-update records what ajv says, with which `go test` compares without node.
test-ajv:
	cd manifest/testdata/ajv && npm ci --ignore-scripts --no-audit --no-fund
	PATCH_GIT_AJV_TESTS=1 $(GO) test -count=1 -run TestAjv -v ./manifest $(AJV)

# Two servers of one toolbox under a mixed load while tools come and go, for LOAD.
LOAD ?= 10m
test-mcp-load:
	PATCH_GIT_MCP_LOAD=$(LOAD) $(GO) test -count=1 -timeout 2h -run TestLoad -v ./internal/mcpserver/mcptest

# The MCP server beside servers made of mark3labs/mcp-go and of the TypeScript SDK;
# -write puts the figures into docs/benchmarks.md. `make test-mcp` installs the latter.
bench-mcp: build
	cd docs/bench/mcp && $(GO) run . -patch-git $(CURDIR)/bin/patch-git

bench-mcp-write: build
	cd docs/bench/mcp && $(GO) run . -patch-git $(CURDIR)/bin/patch-git -write

build:
	CGO_ENABLED=0 $(GO) build -buildvcs=auto -trimpath -ldflags='-s -w' -o bin/patch-git ./cmd/patch-git

# The program with an interpreter inside, for TARGET; the first time it fetches
# the interpreter through the Go module proxy.
TARGET    ?= $(shell $(GO) env GOOS)/$(shell $(GO) env GOARCH)
EMBEDDED   = internal/standalone/embedded
build-full:
	$(GO) run ./docs/python/embed -goos $(word 1,$(subst /, ,$(TARGET))) -goarch $(word 2,$(subst /, ,$(TARGET))) -o $(EMBEDDED)
	GOOS=$(word 1,$(subst /, ,$(TARGET))) GOARCH=$(word 2,$(subst /, ,$(TARGET))) CGO_ENABLED=0 \
	  $(GO) build -tags embedpy -trimpath -ldflags='-s -w' -o bin/patch-git-full ./cmd/patch-git

# That program where no Python can be found, and as root also as an ordinary
# user (by the numbers, so that no account is needed).
test-embed: build-full
	$(GO) test -count=1 -tags embedpy -run Embedded -v ./internal/standalone
	$(GO) test -c -o bin/full.test ./cmd/patch-git
	cd cmd/patch-git && PATCH_GIT_FULL=$(CURDIR)/bin/patch-git-full $(CURDIR)/bin/full.test -test.v -test.run TestFull
	@if [ "$$(id -u)" = 0 ]; then .ci/as-nobody; fi

CROSS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64
cross:
	@for t in $(CROSS); do \
	  echo $$t; GOOS=$${t%/*} GOARCH=$${t#*/} CGO_ENABLED=0 $(GO) build -o /dev/null ./cmd/patch-git || exit 1; done

# What lists of related terms would add to a search: trains them once for each family
# of sets, without that family, and prints the table of docs/search-training.md, which
# says what MIRROR and PACKAGES hold. LISTS=FILE trains on all of it instead and writes
# the lists. It needs docs/train-search/requirements.txt and one core for half an hour.
MIRROR   ?= ../mirror
PACKAGES ?= ../packages
SHARED   ?= ../shared/data/retrieval
train-search:
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python3 docs/train-search/train.py --mirror $(MIRROR) --packages $(PACKAGES) $(if $(wildcard $(SHARED)),--shared $(SHARED)) $(if $(LISTS),--lists $(LISTS))
