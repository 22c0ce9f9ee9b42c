#!/bin/bash
# What `cmake --install` leaves of libheddle-remap: the program of its README is built outside of
# the tree, with pkg-config and with CMake, and runs; the library needs and exports what it should.
set -u
build=${HEDDLE_BUILD:?ctest sets it: the folder of the build}
source_folder=$(realpath "$(dirname "$0")/../..")
source "$(dirname "$0")/../../tests/folder.sh"
prefix=$work/prefix
failures=0

complain() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$*"
    [ ! -s "$work/log" ] || sed 's/^/  /' "$work/log"
}

# try WHAT COMMAND...: the command must succeed.
try() {
    local what=$1
    shift
    "$@" >"$work/log" 2>&1 || complain "$what: $*"
}

try "installing" cmake --install "$build" --component remap --prefix "$prefix"
# What is installed must not be what is in the tree: a prefix that was moved works, too.
mv "$prefix" "$work/moved" && prefix=$work/moved
library=$(find "$prefix" -name libheddle-remap.so)
[ -n "$library" ] || { complain "no libheddle-remap.so is installed"; exit 1; }
folder=$(dirname "$library")

# ---- what the library needs, and what it has -----------------------------------------

needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
sanitizer=
for name in $needed; do
    case $name in
    libc.so.* | libm.so.* | libpthread.so.* | libdl.so.* | ld-linux*) ;;
    libasan.so.*) sanitizer=-fsanitize=address,undefined ;;
    libtsan.so.*) sanitizer=-fsanitize=thread ;;
    libubsan.so.*) ;;
    *) complain "the library needs $name" ;;
    esac
done

# Functions that the header declares, in order.
declared() {
    sed -E -e 's://.*::' -e ':a;s:/\*([^*]|\*[^/])*\*/::g;/\/\*/{N;ba}' "$1" |
        grep -v '^ *#' | grep -oE '\bhd_remap_[a-z0-9_]+\(' | tr -d '(' | sort -u
}
declared "$prefix/include/heddle/remap.h" >"$work/declared"
[ "$(wc -l <"$work/declared")" -gt 20 ] || complain "found hardly a function in remap.h"
nm -D --defined-only "$library" | awk '{ print $NF }' | sort >"$work/exported"
diff "$work/declared" "$work/exported" >"$work/log" ||
    complain "the functions of remap.h (<) are not those that the library exports (>)"
soname=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[[ $soname =~ ^libheddle-remap\.so\.[0-9]+\.[0-9]+$ ]] || complain "the soname is '$soname'"

# ---- the headers, in each language ---------------------------------------------------------

cat >"$work/header.c" <<'END'
#include <heddle/index.h>
#include <heddle/remap.h>
typedef struct body { double x; char kind[3]; } body;
extern const hd_remap_record record;
static const hd_remap_field fields[] = {HD_REMAP_FIELD(body, x), HD_REMAP_FIELD(body, kind)};
const hd_remap_record record = HD_REMAP_RECORD(body, fields);
END
cp "$work/header.c" "$work/header.cpp"
strict="-Wall -Wextra -pedantic -Werror -fsyntax-only -I$prefix/include"
try "the headers in C17" cc -std=c17 $strict "$work/header.c"
if command -v c++ >/dev/null; then
    try "the headers in C++" c++ -std=c++17 $strict "$work/header.cpp"
fi

# ---- the README's program -----------------------------------------------------------------

# The first block of the README in this language.
block() {
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{/^\`\`\`\$/q;/^\`\`\`/!p;}" \
        "$prefix/share/doc/heddle-remap/README.md"
}
mkdir "$work/program"
cd "$work/program" || exit 2
block c >program.c
block cmake >CMakeLists.txt
expected=$(sed -n 's/^It prints `\([^`]*\)`.*/\1/p' "$prefix/share/doc/heddle-remap/README.md")
[ -s program.c ] && [ -s CMakeLists.txt ] && [ -n "$expected" ] ||
    complain "the README lacks its program, its CMakeLists.txt or what is printed"

# runs PROGRAM: it prints what the README says.
runs() {
    local printed
    printed=$(LD_LIBRARY_PATH=$folder "$1" 2>"$work/log") || complain "$1 failed"
    [ "$printed" = "$expected" ] || complain "$1 printed '$printed', not '$expected'"
}

export PKG_CONFIG_PATH=$folder/pkgconfig
flags=$(pkg-config --cflags --libs heddle-remap OpenCL) || complain "pkg-config knows no heddle-remap or no OpenCL"
try "building with pkg-config" cc -std=c17 -Wall -Wextra -pedantic -Werror $sanitizer program.c \
    -o by-pkg-config $flags
runs ./by-pkg-config

# The same with what CMakeLists.txt finds; $1 is what find_package is called with.
with_cmake() {
    sed -i "s/find_package(heddle.*/find_package(heddle $1)/" CMakeLists.txt
    rm -rf by-cmake
    try "configuring with find_package(heddle $1)" cmake -S . -B by-cmake \
        -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="$sanitizer"
    try "building with find_package(heddle $1)" cmake --build by-cmake
    runs by-cmake/program
}
with_cmake "REQUIRED"
with_cmake "0.1 REQUIRED COMPONENTS remap"

sed -i "s/find_package(heddle.*/find_package(heddle REQUIRED COMPONENTS loom)/" CMakeLists.txt
if cmake -S . -B without -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1; then
    complain "find_package finds a component that is not there"
fi
grep -q "has no component 'loom'" "$work/log" ||
    complain "find_package does not say that a component is not there"

[ "$failures" -eq 0 ]
