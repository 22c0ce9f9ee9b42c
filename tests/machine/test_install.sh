#!/bin/bash
# What `cmake --install` leaves of libheddle-ptx and libgpuocelot: the program of the page on them is
# built outside of the tree and runs; the libraries need and export what they should.
set -u
build=${HEDDLE_BUILD:?ctest sets it: the folder of the build}
source_folder=$(realpath "$(dirname "$0")/../..")
source "$(dirname "$0")/../folder.sh"
prefix=$work/prefix
failures=0

complain() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$*"
    [ ! -s "$work/log" ] || sed 's/^/  /' "$work/log"
}

cmake --install "$build" --component ptx --prefix "$prefix" >"$work/log" 2>&1 ||
    complain "installing"
mv "$prefix" "$work/moved" && prefix=$work/moved
library=$(find "$prefix" -name libheddle-ptx.so)
ocelot=$(find "$prefix" -name libgpuocelot.so)
[ -n "$library" ] && [ -n "$ocelot" ] || { complain "a library is missing"; exit 1; }
folder=$(dirname "$library")
[ "$(basename "$(dirname "$ocelot")")" = heddle ] ||
    complain "libgpuocelot.so, which is another project's name, is not in a folder of its own"

# ---- what the libraries need, and what they have ----------------------------------------

sanitizer=
for file in "$library" "$ocelot"; do
    for name in $(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
        case $name in
        libc.so.* | libm.so.* | libpthread.so.* | libdl.so.* | ld-linux*) ;;
        libasan.so.*) sanitizer=-fsanitize=address,undefined ;;
        libtsan.so.*) sanitizer=-fsanitize=thread ;;
        libubsan.so.*) ;;
        *) complain "$(basename "$file") needs $name" ;;
        esac
    done
done
sed -E -e 's://.*::' -e ':a;s:/\*([^*]|\*[^/])*\*/::g;/\/\*/{N;ba}' "$prefix/include/heddle/ptx.h" |
    grep -v '^ *#' | grep -oE '\bhd_ptx_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$work/declared"
[ "$(wc -l <"$work/declared")" -gt 15 ] || complain "found hardly a function in ptx.h"
nm -D --defined-only "$library" | awk '{ print $NF }' | sort >"$work/exported"
diff "$work/declared" "$work/exported" >"$work/log" ||
    complain "the functions of ptx.h (<) are not those that the library exports (>)"
[ "$(nm -D --defined-only "$ocelot" | awk '{ print $NF }' | sort | tr '\n' ' ')" = \
    "ptx_run ptx_run_error " ] || complain "libgpuocelot.so exports something else"

# ---- the header, in each language ---------------------------------------------------------

printf '#include <heddle/ptx.h>\nhd_ptx_options options;\n' | tee "$work/header.c" >"$work/header.cpp"
cc -std=c17 -Wall -Wextra -pedantic -Werror -fsyntax-only -I"$prefix/include" "$work/header.c" \
    2>"$work/log" || complain "the header in C17"
if command -v c++ >/dev/null; then
    c++ -std=c++17 -Wall -Wextra -pedantic -Werror -fsyntax-only -I"$prefix/include" \
        "$work/header.cpp" 2>"$work/log" || complain "the header in C++"
fi

# ---- the page's program ---------------------------------------------------------------------

page=$source_folder/docs/ptx-library.md
sed -n '/^```c$/,/^```$/{/^```/d;p;}' "$page" >"$work/program.c"
expected=$(sed -n 's/^It prints `\([^`]*\)`.*/\1/p' "$page")
fault=$(sed -n 's/.*With a block of 33 threads it prints `\([^`]*\)`.*/\1/p' "$page")
[ -n "$expected" ] && [ -n "$fault" ] || complain "the page lacks what its program prints"
export PKG_CONFIG_PATH=$folder/pkgconfig

# prints_as EXPECTED STATUS: program.c is built, prints that and ends so.
prints_as() {
    local printed status
    cc -std=c17 -Wall -Wextra -pedantic -Werror $sanitizer "$work/program.c" -o "$work/program" \
        $(pkg-config --cflags --libs heddle-ptx) >"$work/log" 2>&1 ||
        { complain "building the program"; return; }
    printed=$(LD_LIBRARY_PATH=$folder "$work/program" 2>&1)
    status=$?
    [ "$printed" = "$1" ] && [ "$status" = "$2" ] ||
        complain "the program printed '$printed' and ended with $status, not '$1' and $2"
}
prints_as "$expected" 0
sed -i 's/{32, 1, 1}/{33, 1, 1}/' "$work/program.c"
prints_as "$fault" 1

[ "$failures" -eq 0 ]
