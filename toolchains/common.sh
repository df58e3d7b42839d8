# common.sh - helpers of the set-up scripts; sourced by bash.

# Downloads that outlive a clone; the same rule is in env.sh and wasm32.cmake.
STRIA_CACHE="${STRIA_TOOLCHAIN_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/stria}"

say() { printf 'stria: %s\n' "$*" >&2; }
fail() {
    say "$*"
    exit 1
}
have() { command -v "$1" > /dev/null 2>&1; }

at_least() { # wanted, found: version comparison
    [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

is_debian_12() { ( . /etc/os-release && [ "$ID-${VERSION_ID:-}" = debian-12 ] ) 2> /dev/null; }

# Runs a command; shows its output only if it fails.
quietly() { # what, command ..
    local what="$1" log
    shift
    log="$(mktemp)"
    if ! "$@" > "$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        fail "$what failed"
    fi
    rm -f "$log"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; elif have sudo; then sudo "$@"; else fail "run as root, or install sudo: $*"; fi
}

# Installs the Debian packages that are missing; on another system says what to install. `apt-get update` runs at most
# once, and only when something is missing.
need_packages() { # why, package ..
    local why="$1" package missing=()
    shift
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null | grep -qx installed || missing+=("$package")
    done
    [ ${#missing[@]} = 0 ] && return
    is_debian_12 || fail "missing: $why. Install what Debian 12 calls ${missing[*]}, and put its programs on PATH."
    say "installing ${missing[*]} ($why)"
    if [ -z "${STRIA_APT_UPDATED:-}" ]; then
        quietly "apt-get update" as_root apt-get update -q
        export STRIA_APT_UPDATED=1
    fi
    quietly "apt-get install" as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# The same, unless all these programs are on PATH already.
need_programs() { # why, "program ..", package ..
    local why="$1" programs="$2" program
    shift 2
    for program in $programs; do
        have "$program" || {
            need_packages "$why" "$@"
            return
        }
    done
}
