# Builds and serves the documentation site, with Node.js.

# docs [--build | --check] [--port N]: builds the site in target/site, and serves it or checks it in
# Chromium.
docs() {
  local mode=serve port=4173 log=$home/target/site.log
  is_bundle && fail "a bundle has no documentation site; run this in a checkout."
  while [[ $# -gt 0 ]]; do
    case $1 in
      --build) mode=build ;;
      --check) mode=check ;;
      --port)
        [[ ${2:-} =~ ^[0-9]+$ ]] || wrong_usage "'docs --port' needs a number; got '${2:-nothing}'."
        port=$2
        shift
        ;;
      *) wrong_usage "'docs' takes --build, --check and --port N; got '$1'$(did_you_mean "$1" --build --check --port)" ;;
    esac
    shift
  done
  command -v npm >/dev/null || fail "the documentation site needs Node.js 18 or newer with npm: install the packages 'nodejs' and 'npm'."
  mkdir -p "$home/target"
  if [[ ! $home/docs/node_modules/.package-lock.json -nt $home/docs/package-lock.json ]]; then
    say "fetching the libraries of the site"
    (cd "$home/docs" && npm ci --no-audit --no-fund && touch node_modules/.package-lock.json) >"$log" 2>&1 || site_failed
  fi
  (cd "$home/docs" && npx vitepress build) >"$log" 2>&1 || site_failed
  "$home/.ci/javadoc" >>"$log" 2>&1 && cp -R "$home/target/javadoc" "$home/target/site/api" || site_failed
  case $mode in
    build) say "wrote $home/target/site" ;;
    check)
      CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
      [[ -n $CHROMIUM ]] || fail "the check needs Chromium: install the package 'chromium', or set CHROMIUM to its path."
      export CHROMIUM
      cd "$home/docs" || exit 1
      npm run --silent spelling || fail "words are misspelled; names and terms belong to docs/cspell.json"
      exec node .vitepress/check.mjs
      ;;
    serve) cd "$home/docs" && exec npx vitepress preview --port "$port" ;;
  esac
}

site_failed() {
  tail -n 12 "$log" >&2
  fail "the site could not be built; the output is in $log"
}
