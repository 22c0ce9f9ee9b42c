#!/bin/bash
# The library and its tests of threads, built with the thread sanitizer.
set -u
source_folder=$(realpath "$(dirname "$0")/../..")
source "$(dirname "$0")/../../tests/folder.sh"
tests="remap_test_properties remap_test_share remap_test_renumber remap_test_order"

# Once is enough: not for a build that is sanitized otherwise.
if [ -n "${HEDDLE_BUILD:-}" ] &&
    grep -qE '^HEDDLE_SANITIZE:[A-Z]+=(ON|TRUE|1|thread)$' "$HEDDLE_BUILD/CMakeCache.txt"; then
    echo "left to the build without sanitizers"
    exit 0
fi

echo 'int main(void) { return 0; }' >"$work/try.c"
if ! { cc -fsanitize=thread "$work/try.c" -o "$work/try" && "$work/try"; } 2>"$work/log"; then
    echo "no thread sanitizer here: $(head -1 "$work/log")"
    exit 0
fi
{ cmake -S "$source_folder" -B "$work/build" -DCMAKE_BUILD_TYPE=Debug -DHEDDLE_ONLY_REMAP=ON \
    -DHEDDLE_SANITIZE=thread && cmake --build "$work/build" --parallel 2 --target $tests; } \
    >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
export TSAN_OPTIONS=allocator_may_return_null=1
for test in $tests; do
    "$work/build/remap/tests/$test" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
done
