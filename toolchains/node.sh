#!/usr/bin/env bash
# node.sh - makes Node.js of at least version 20, with npm, available. Debian 12 has Node 18 and npm; its npm then brings
# a newer Node from the npm registry into the cache.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
. "$here/common.sh"

readonly WANTED=20
readonly ROOT="$STRIA_CACHE/node"

enough() { have node && have npm && at_least "$WANTED" "$(node --version | tr -d v)"; }
enough && exit 0
PATH="$ROOT/bin:$PATH"
enough && exit 0

is_debian_12 || fail "Node.js $WANTED or newer with npm is needed on PATH."
need_programs "Node.js and npm" "node npm" nodejs npm
enough && exit 0
case "$(uname -m)" in
x86_64) arch=x64 ;;
aarch64) arch=arm64 ;;
*) fail "Node.js $WANTED or newer is needed on PATH." ;;
esac
say "bringing Node.js 22 into $ROOT (this machine's is older than $WANTED)"
mkdir -p "$ROOT"
quietly "installing Node.js" npm install --prefix "$ROOT" --no-save --no-audit --no-fund "node-linux-$arch@22"
mkdir -p "$ROOT/bin"
ln -sf "../node_modules/node-linux-$arch/bin/node" "$ROOT/bin/node"
enough || fail "the Node.js brought by npm does not run"
