#!/usr/bin/env bash
# format.sh [--check] - formats every source: C by clang-format 14, JavaScript, TypeScript, JSON and Markdown by Prettier.
# With --check changes nothing and fails if something would change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

sources() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do [ -e "$file" ] && printf '%s\n' "$file"; done; }
clang_format="$(command -v clang-format-14 || command -v clang-format)"
prettier=bindings/js/node_modules/.bin/prettier

status=0
mkdir -p build
if [ "${1:-}" = --check ]; then
    sources '*.c' '*.h' '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs -r "$clang_format" --dry-run -Werror > build/format.log 2>&1 || {
        grep 'error:' build/format.log | cut -d: -f1 | sort | uniq -c
        status=1
    }
    sources '*.js' '*.mjs' '*.ts' '*.mts' '*.css' '*.html' '*.json' |
        xargs -r "$prettier" --ignore-path .prettierignore --check --log-level warn || status=1
    [ $status = 0 ] && echo "all sources are formatted" || echo "run \`make format\`"
else
    sources '*.c' '*.h' '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs -r "$clang_format" -i
    sources '*.js' '*.mjs' '*.ts' '*.mts' '*.css' '*.html' '*.json' |
        xargs -r "$prettier" --ignore-path .prettierignore --write --log-level warn
fi
exit $status
