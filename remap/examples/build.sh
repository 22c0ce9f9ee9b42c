#!/usr/bin/env bash
# remap/examples/build.sh NAME [FOLDER]: builds the programs of a case study, NAME's plain.c and its
# other versions, in FOLDER (build/examples/remap/NAME) and prints their paths. A version without a
# kernel of its own has plain.cl.
#
# HEDDLE names the heddle whose library is used, CC the compiler, CFLAGS more options for it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
library=$(dirname "${HEDDLE:-$root/build/release/heddle}")
fail() { printf 'build.sh: %s\n' "$*" >&2; exit 2; }

[ $# -ge 1 ] && [ $# -le 2 ] || fail "usage: remap/examples/build.sh NAME [FOLDER]"
name=$1 folder=${2:-$root/build/examples/remap/$1}
case_study=$root/remap/examples/$name
[ -f "$case_study/plain.c" ] ||
    fail "no case study '$name'; there are:" \
         $(cd "$root/remap/examples" && ls -d */plain.c | cut -d/ -f1)
[ -e "$library/libheddle-remap.so" ] || fail "no libheddle-remap.so in $library; ./run build makes it"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd) library=$(cd "$library" && pwd)

others=$(cd "$case_study" && ls *.c | sed 's/\.c$//' | grep -vx 'plain\|reference')
for version in plain $others; do
    kernel=$case_study/$version.cl
    [ -f "$kernel" ] || kernel=$case_study/plain.cl
    "${CC:-cc}" -std=c11 -Wall -Wextra -O2 ${CFLAGS:-} "-I$root/include" \
        "-I$root/remap/include" "-DKERNEL_FILE=\"$kernel\"" "-DKERNEL_FOLDER=\"$case_study\"" \
        "-DKERNEL_OPTIONS=\"-I$root/remap/include\"" \
        "$case_study/$version.c" "$case_study/reference.c" \
        "-L$library" "-Wl,-rpath,$library" -lheddle-remap -lOpenCL -lm -o "$folder/$version"
    echo "$folder/$version"
done
