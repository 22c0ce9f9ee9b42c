#!/usr/bin/env bash
# Every C file of ours is as clang-format 19 leaves it. Left out is what stands in tests/kernels,
# which is data of tests.
set -euo pipefail
cd "${HEDDLE_SOURCE:-$(dirname "$0")/../..}"
command -v clang-format-19 >/dev/null || {
    echo "this test needs clang-format-19: apt-get install clang-format-19"
    exit 2
}
files=$(find bench examples include package remap src tests -name node_modules -prune -o \
    -path tests/kernels -prune -o -name '*.[ch]' -print 2>/dev/null | sort || true)
count=$(wc -l <<<"$files")
[ "$count" -ge 500 ] || { echo "found only $count files; HEDDLE_SOURCE names the sources"; exit 1; }
xargs -P "$(nproc)" -n 250 clang-format-19 --dry-run --Werror <<<"$files" || {
    echo "clang-format-19 -i FILE puts it right"
    exit 1
}
echo "$count files are as clang-format leaves them"
