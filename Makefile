# make help lists what there is; docs/testing.md says more.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

# Flags for the server: make run ARGS='--bots 8'
ARGS     ?=
# How long make fuzz stays with each fuzz target, and make soak with each soak.
FUZZTIME ?= 20s
# How many inputs make fuzz gives each target instead, as 10000000x; how many make fuzz-structured gives each decoder.
INPUTS   ?=
SOAKTIME ?= 2m
# How many player-hours make hours plays.
HOURS    ?= 1000
# Which benchmarks make benchmarks runs, and where.
BENCH    ?= .
PACKAGES ?= ./...
# Which documents make figures prints; all if empty.
PAGES    ?=

GO_FILES  := $(shell find . -name '*.go' -not -name '*_test.go' -not -path '*/node_modules/*') go.mod go.sum
WEB_FILES := $(shell find web -type f -not -path 'web/node_modules/*' -not -path 'web/dist/*' \
               -not -path 'web/client/dist/*' -not -path 'web/three/dist/*' -not -path 'web/core/*.wasm' 2>/dev/null)

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

# exec hands Ctrl-C and SIGTERM to the server itself.
.PHONY: run
run: server web/dist/index.html ## build what has changed, serve the arena and print its URL
	@exec bin/backstep serve --web web/dist --demo $(ARGS)

.PHONY: build
build: server web ## the server (bin/backstep) and the page (web/dist)

.PHONY: server
server:
	@go build -o bin/backstep ./cmd/backstep

.PHONY: web
web: web/dist/index.html

.PHONY: test
test: ## the tests that every change must pass; installs what it needs
	@exec scripts/test

.PHONY: test-slow
test-slow: ## the rest of what CI runs: other processors, race detector, the documents' commands, tests named TestSlow...
	@exec scripts/test slow

.PHONY: browser
browser: web ## every part of the browser test (23 minutes, wants a quiet machine); ONLY='tour split' narrows it
	cd web && npm run --silent e2e -- $(ONLY)

.PHONY: race
race: ## the whole core and the edge under the race detector
	go test -race -count=1 -timeout 0 $(shell go list ./... | grep -v '^github.com/backstep-net/backstep/internal/')

.PHONY: platforms
platforms: ## compile everything for each supported platform, the Go client for WebAssembly too
	@scripts/platforms

.PHONY: vulnerabilities
vulnerabilities: ## known vulnerabilities in what the code calls, by the newest database of the Go project; fails if a module has one
	@scripts/vulnerabilities

.PHONY: soak
soak: ## the long seeded tests, SOAKTIME (2m) each
	BACKSTEP_SOAK=$(SOAKTIME) go test -count=1 -timeout 0 -run '^TestSoak' -v $(PACKAGES)

.PHONY: drains
drains: ## DRAINS (1000) ends of a server with matches on it: none may be cut
	BACKSTEP_DRAINS=$(or $(DRAINS),1000) go test -count=1 -timeout 0 -parallel 4 -run '^TestManyDrainsUnderLoad$$' -v ./host | grep -v -e '^ *---' -e '^==='

.PHONY: siege
siege: server ## BOTS (60, what one core can drive) play on a server for 10 minutes, then under floods; writes docs/siege.md (17 minutes, wants a quiet machine)
	go run ./internal/siege -bots $(or $(BOTS),60) -o docs/siege.md
	go test ./internal/book -count=1 -run Reference -update

.PHONY: swarm
swarm: ## random matches with faults and attacks for MINUTES (10), invariants checked each tick; a failure becomes a small scenario
	go run ./cmd/backstep lab swarm --minutes $(or $(MINUTES),10) --seed $(or $(SEED),1)

.PHONY: model
model: ## the model of moves, acknowledgements, corrections and resumed connections: every state of three players (ten minutes, 3 GB)
	BACKSTEP_MODEL=1 go test -count=1 -timeout 0 -run '^TestTheFullModel$$' -v ./internal/protocolmodel

.PHONY: million
million: ## 10⁶ random moves in worlds with every feature, on all four targets
	BACKSTEP_STRESS=1000000 go test -count=1 -timeout 0 -run '^TestSlowOneHashEverywhere$$' -v ./internal/targets -only movement

.PHONY: hours
hours: ## 1,000 HOURS of honest players on bad links, none flagged as a cheat; what cheats gain
	BACKSTEP_HOURS=$(HOURS) go test -count=1 -timeout 0 -run '^Test(Hours|Gains)$$' -v ./session

.PHONY: figures
figures: ## print the figures of the documents anew; PAGES='docs/accuracy.md' narrows them, LONG=1 prints the slow tables too
	LONG=$(LONG) go run ./internal/figures/print $(PAGES)

.PHONY: docs
docs: docs/node_modules/.package-lock.json build/split/index.html ## build the book with the split view into build/book; ARGS=dev serves the pages while you write, ARGS=preview what was built, BASE=/path/ sets the site's path
	cd docs && exec npx vitepress $(or $(ARGS),build)

.PHONY: pictures
pictures: web ## play the examples and take the pictures of their READMEs
	cd web && npm run --silent e2e -- examples && node e2e/pictures.mjs

.PHONY: split
split: build/split/index.html ## the split view alone, for any static host: build/split

build/split/index.html: web/dist/index.html
	cd web && BACKSTEP_PAGES=split.html npx vite build --outDir ../build/split --emptyOutDir
	@cp build/split/split.html $@

.PHONY: picture
picture: split ## film the split view for the README: docs/split.webp (a few minutes)
	cd web && node e2e/splitpicture.mjs

.PHONY: fuzz
fuzz: ## each fuzz target for FUZZTIME (20s), or INPUTS=10000000x; prints the inputs of each; ONLY='./track' narrows them
	@scripts/fuzz $(or $(INPUTS),$(FUZZTIME)) '$(or $(ONLY),.)'

.PHONY: fuzz-structured
fuzz-structured: ## inputs that know the format, INPUTS (1000000x) for each decoder; ONLY='track|shot' narrows them
	@go run ./internal/fuzz --inputs $(patsubst %x,%,$(or $(INPUTS),1000000x)) --only '$(ONLY)'

.PHONY: bench
bench: server ## measure the speed of this machine (ten minutes; wants a quiet machine); ARGS='--only step' narrows it, --compare docs/performance.json compares
	@bin/backstep bench $(ARGS)

.PHONY: bench-check
bench-check: ## compare the work of small loads, counted and not timed, with internal/bench/testdata/work.txt
	go test -count=1 -run '^TestTheWorkIsWhatItWas$$' ./internal/bench

.PHONY: benchmarks
benchmarks: ## Go's benchmarks; BENCH='Step' PACKAGES=./movement narrow them
	go test -run '^$$' -bench '$(BENCH)' -benchmem $(PACKAGES)

.PHONY: fmt
fmt: ## gofmt every Go file
	find . -name '*.go' -not -path './web/*' -print0 | xargs -0 gofmt -l -w

.PHONY: clean
clean: ## remove what was built, and the installed npm packages
	rm -rf bin build web/dist web/client/dist web/three/dist web/node_modules web/core docs/node_modules test-artefacts

# The client core. Linking gives the same bytes unless the core has changed, and
# then the copy, and with it the page, stays as it is.
build/backstep.wasm: $(GO_FILES)
	@mkdir -p build
	go run ./cmd/backstep wasm --no-sizes -o $@ ./examples/arena/wasm
	@touch $@

# The types of what the core shows its page, from the arena's own Go types.
build/core.d.ts: $(GO_FILES)
	@mkdir -p build
	@go run ./examples/arena/wasm >$@

web/src/core.d.ts: build/core.d.ts
	@cmp -s $< $@ || cp $< $@

web/core/backstep.wasm: build/backstep.wasm
	@mkdir -p web/core
	@cmp -s $< $@ || cp $< $@

# The split view's core: a whole match for a worker.
build/splitview.wasm: $(GO_FILES)
	@mkdir -p build
	go run ./cmd/backstep wasm --no-sizes -o $@ ./examples/splitview/wasm
	@touch $@

web/core/splitview.wasm: build/splitview.wasm
	@mkdir -p web/core
	@cmp -s $< $@ || cp $< $@

web/node_modules/.package-lock.json: web/package.json web/package-lock.json web/client/package.json web/three/package.json
	cd web && ../scripts/retry npm ci --no-audit --no-fund
	@touch $@

docs/node_modules/.package-lock.json: docs/package.json docs/package-lock.json
	cd docs && ../scripts/retry npm ci --no-audit --no-fund
	@touch $@

web/dist/index.html: web/node_modules/.package-lock.json web/core/backstep.wasm web/core/splitview.wasm web/src/core.d.ts $(WEB_FILES)
	cd web && npm run --silent build
	@touch $@
