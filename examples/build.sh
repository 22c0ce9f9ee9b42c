#!/usr/bin/env bash
# examples/build.sh NAME [LAYOUT [FOLDER]]: builds the program of an example and prints its path.
#
# Without a layout it is the ordinary program over the kernels as they are. With one, `heddle
# rewrite` first writes kernels and header in that layout. All files go to FOLDER (build/examples/NAME).
# HEDDLE names the heddle to use, CC the compiler.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
heddle=${HEDDLE:-$root/build/release/heddle}
fail() { printf 'build.sh: %s\n' "$*" >&2; exit 2; }

[ $# -ge 1 ] && [ $# -le 3 ] || fail "usage: examples/build.sh NAME [LAYOUT [FOLDER]]"
name=$1 layout=${2:-} folder=${3:-$root/build/examples/$1}
example=$root/examples/$name
[ -f "$example/main.c" ] ||
    fail "no example '$name' with a main.c; there are:" \
         $(cd "$root/examples" && ls -d */main.c | cut -d/ -f1)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

kernels=$example/$name.cl flags=()
if [ -n "$layout" ]; then
    [ -x "$heddle" ] || fail "no heddle at $heddle; ./run build makes it"
    # The small job has the same kernels, and is checked on Heddle's machine in a moment.
    "$heddle" apply "$example/$name-small.yaml" --layout "$layout" --out "$folder" >&2
    kernels=$folder/$name.cl flags=(-DLAID_OUT "-I$folder")
fi
"${CC:-cc}" -std=c99 -Wall -Wextra -O2 "-DKERNEL_FILE=\"$kernels\"" "${flags[@]}" \
    "$example/main.c" "$example/reference.c" -lOpenCL -lm -o "$folder/$name"
echo "$folder/$name"
