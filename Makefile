# Everything a person needs to build, try and test the playground. Each target checks first that the machine has
# what it needs, installs the tools that can be installed (into .tools/ and node_modules/, both ignored by git), and
# says what it is doing. The work itself is in scripts/.
.DEFAULT_GOAL := help
.PHONY: help serve dev build npm scorm test bench audit sizes first tools clean

help: ## Show this list
	@echo "DaemonSet Playground"
	@echo
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)$$/  make \1|\2/' | \
		awk -F'|' '{ printf "%-14s  %s\n", $$1, $$2 }'
	@echo
	@echo "Options: make serve PORT=9000 OPEN=no    make test ONLY=\"format e2e\" (any of: $$(bash scripts/test.sh --list | tr '\n' ' '))"

serve: ## Build the playground and open it in the browser (http://localhost:8080)
	@bash scripts/serve.sh release

dev: ## The same with a quick, unoptimised build that is rebuilt whenever a file changes
	@bash scripts/serve.sh dev

build: ## Build the static site in dist/; it works from any path of any static host
	@bash scripts/build.sh

npm: ## Build the npm package: target/daemonset-playground-VERSION.tgz
	@bash scripts/npm.sh

scorm: build ## Pack the lessons for learning platforms (SCORM 1.2): target/daemonset-playground-scorm-LANG.zip
	@bash -c '. scripts/env.sh && node scripts/scorm.mjs en && node scripts/scorm.mjs fr'

test: ## Run every check and test: format, clippy, native, wasm, end to end in Chromium
	@bash scripts/test.sh $(ONLY)

bench: ## Measure the engine, natively and in Chromium (BENCHMARKS.md says how to read it)
	@bash scripts/bench.sh $(ONLY)

audit: ## Audit dist/ with Lighthouse; fails below 95 in any category
	@bash -c '. scripts/env.sh && CHROME="$$(find_chrome)" node scripts/audit.mjs'

sizes: ## Print the sizes of what is in dist/, as served with brotli
	@bash -c '. scripts/env.sh && node scripts/sizes.mjs'

first: ## Renew what is known of the first view: www/shell/, and the functions it needs (scripts/wasm/)
	@bash scripts/first.sh

tools: ## Install or check the tools only
	@bash scripts/preflight.sh test && bash scripts/tools.sh test && echo "All tools are there."

clean: ## Remove what was built (the installed tools stay)
	rm -rf target dist pkg test-results
