# Everything a developer or CI runs. `make` lists it.

GO        ?= go
SQLFLUFF  ?= sqlfluff
TESTFLAGS ?= -count=1 -timeout=20m -parallel=4
PKG       ?= ./...

GOLANGCI_LINT := bin/golangci-lint
SCRIPTS       := .ci/run $(wildcard build/*/*.sh) $(wildcard build/*.sh)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: bin/outbox-demo ## show a run's whole life on a private PostgreSQL (JSON=1 for machines)
	@bin/outbox-demo $(if $(filter 1,$(JSON)),--json) $(ARGS)

.PHONY: test
test: need-go ## run the suite (PKG=./dispatcher TESTFLAGS='-run Fence -v' narrow it, RACE=1 looks for races)
	@$(GO) run ./internal/pgserver/pgcheck
	@$(GO) test $(TESTFLAGS) $(if $(filter 1,$(RACE)),-race) $(PKG)

.PHONY: fuzz
fuzz: need-go ## compare database and Go on drawn documents for hours (CHECKS=100000 a schema; ctrl-C ends it)
	@$(GO) test -count=1 -timeout=0 -v ./tests/contracts -run TestGoAndDatabaseJudgeAlike -rapid.checks=$(or $(CHECKS),100000)

.PHONY: lint
lint: lint-go lint-sql lint-sh ## check Go, SQL and shell

.PHONY: lint-go
lint-go: need-go $(GOLANGCI_LINT)
	@files=$$(gofmt -l .); [ -z "$$files" ] || { echo "gofmt -w these: $$files" >&2; exit 1; }
	@$(GO) vet ./...
	@$(GOLANGCI_LINT) run

.PHONY: lint-sql
lint-sql:
	@$(SQLFLUFF) --version 2>/dev/null | grep -q 'version 1\.4\.' || \
		{ echo "sqlfluff 1.4 is missing: install it (on Debian 12: apt-get install sqlfluff)" >&2; exit 1; }
	@$(SQLFLUFF) lint --nocolor --disable-progress-bar --processes 2 sql

.PHONY: lint-sh
lint-sh:
	@for file in $(SCRIPTS); do \
		case $$(head -n 1 $$file) in *bash) bash -n $$file ;; *) sh -n $$file ;; esac || exit 1; \
	done
	@if command -v shellcheck >/dev/null; then shellcheck $(SCRIPTS); fi

.PHONY: verify
verify: need-go ## prove that generated files are current and released migrations untouched (writes what was not)
	@$(GO) run ./internal/snapshot --check
	@before=$$(build/fingerprint.sh); $(GO) generate ./... || exit 1; after=$$(build/fingerprint.sh); \
		[ "$$before" = "$$after" ] || { echo "generated files were not current: commit what make generate wrote" >&2; exit 1; }

.PHONY: snapshot
snapshot: need-go ## copy the SQL code into the migration that installs it
	@$(GO) run ./internal/snapshot

.PHONY: generate
generate: need-go ## rewrite the generated files
	@$(GO) generate ./...

.PHONY: image
image: ## build the PostgreSQL image for tests where none can be pulled (FORCE=1 rebuilds it)
	@build/image/build.sh

.PHONY: build
build: bin/outbox bin/outbox-demo ## build the binaries into bin/

.PHONY: clean
clean: ## remove what was built
	@rm -rf bin

# Go knows better than make what is out of date.
.PHONY: bin/outbox bin/outbox-demo
bin/outbox: need-go
	@CGO_ENABLED=0 $(GO) build -trimpath -o $@ ./cmd/outbox
bin/outbox-demo: need-go
	@$(GO) build -o $@ ./cmd/outbox-demo

# Pinned in a module of its own, so that the product does not depend on a linter's dependencies.
$(GOLANGCI_LINT): tools/go.mod tools/go.sum | need-go
	@echo "building golangci-lint, which takes minutes the first time" >&2
	@$(GO) -C tools build -o ../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

.PHONY: need-go
need-go:
	@command -v $(GO) >/dev/null || { echo "Go is missing: install Go 1.26 or newer" >&2; exit 1; }
