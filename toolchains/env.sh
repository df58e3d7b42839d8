# env.sh - puts the tools that setup.sh brought on PATH; for `. toolchains/env.sh` in any POSIX shell. What is on PATH
# already comes first, unless setup.sh found it too old.
stria_cache="${STRIA_TOOLCHAIN_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/stria}"
for stria_dir in "$stria_cache/node/bin" "$stria_cache/emscripten/bin"; do
    case ":$PATH:" in
    *":$stria_dir:"*) ;;
    *) [ -d "$stria_dir" ] && PATH="$stria_dir:$PATH" ;;
    esac
done
case ":$PATH:" in
*:/usr/local/cuda/bin:*) ;;
*) [ -x /usr/local/cuda/bin/nvcc ] && PATH="$PATH:/usr/local/cuda/bin" ;;
esac
export PATH
unset stria_cache stria_dir
