#!/usr/bin/env bash
# clang-format for every C++ file of ours: writes, or with --check only complains.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Not git's list of files: a release has no git, and a new file counts before it is added.
trees=()
for tree in src include tests bench examples; do
  [[ -d $tree ]] && trees+=("$tree")
done

each_file() {
  find "${trees[@]}" -type f \( -name '*.h' -o -name '*.cc' \) -print0 | sort --zero-terminated |
    xargs --null --no-run-if-empty clang-format "$@"
}

case ${1:-} in
  '') each_file -i ;;
  --check)
    output=$(each_file --dry-run -Werror 2>&1) && exit 0
    files=$(sed -nE 's/^([^: ]+):[0-9]+:[0-9]+: error: .*clang-format.*/\1/p' <<<"$output" | uniq)
    [[ -n $files ]] || { echo "$output" && exit 1; }
    sed 's/$/: not as clang-format writes it/' <<<"$files"
    echo "./dev format mends it"
    exit 1
    ;;
  *) echo "format.sh [--check]" >&2 && exit 64 ;;
esac
