#!/usr/bin/env bash
# package/stage.sh BUILD STAGE: what the package holds, in the new folder STAGE, from a release
# build. docs/package.md says what lies where, and why.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
fail() { printf 'stage.sh: %s\n' "$*" >&2; exit 2; }
owner() { # the Debian package that a file is of; folders of /usr may be listed as of /
    dpkg-query -S "$1" 2>/dev/null || dpkg-query -S "${1#/usr}" 2>/dev/null ||
        fail "no package of Debian's has $1, so that its licence is not known"
}
[ $# -eq 2 ] || fail "usage: package/stage.sh BUILD STAGE"
build=$1 stage=$2
[ ! -e "$stage" ] || fail "$stage is there already; name a new folder"
for tool in cmake patchelf dpkg-query ldd readelf nm strip cc; do
    command -v "$tool" >/dev/null || fail "no $tool here; Debian 12 has all that makes a package"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
clang=$(realpath "$(cached CLANG_PROGRAM)")
own=$stage/lib/heddle # a prefix of LLVM's shape: bin/clang finds lib/clang/VERSION by itself

# ---- Heddle ------------------------------------------------------------------------------

cmake --install "$build" --prefix "$stage" >"$work/log" || { cat "$work/log" >&2; exit 2; }
rm -f "$stage/bin/heddle-mpi" "$stage/share/man/man1/heddle-mpi.1" # wants the MPI of its machine
mkdir -p "$own/bin" "$own/lib/clang"
cp "$build/package/heddle" "$stage/bin/heddle"
cp "$build/package/heddle-program.so" "$own/lib/"
strip "$stage/bin/heddle"
strip --strip-unneeded "$own/lib/heddle-program.so" "$own"/libheddle-{native,layer}.so "$own"/cuda/*.so* "$(find "$stage" -name 'libheddle-remap.so.*.*.*')"

# ---- clang, and all libraries but the C library's ---------------------------------------------

cp "$clang" "$own/bin/clang"
resources=$("$clang" -print-resource-dir)
[ -d "$resources/include" ] || fail "no headers of clang's own in $resources"
mkdir -p "$own/lib/clang/$(basename "$resources")"
cp -rL "$resources/include" "$own/lib/clang/$(basename "$resources")/"

is_glibc() {
    case $1 in
    ld-linux*.so.* | libc.so.6 | libm.so.6 | libdl.so.2 | librt.so.1 | libpthread.so.0) return 0 ;;
    esac
    return 1
}
# Libraries of functions that Heddle never reaches (absent.c).
is_absent() {
    case $1 in
    libz3.so.* | libxml2.so.* | libedit.so.*) return 0 ;;
    esac
    return 1
}
needed() { readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

declare -A found absent
while read -r name _ path _; do
    [[ $path != /* ]] || found[$name]=$path
done < <(ldd "$own/lib/heddle-program.so" "$own/cuda/libheddle-cuda.so" "$clang")

bundled=() # the files that packages of Debian brought
take_needed() {
    local name
    for name in $(needed "$1"); do
        if is_glibc "$name" || [ -e "$own/lib/$name" ]; then
            continue
        fi
        [ -n "${found[$name]:-}" ] || fail "ldd does not find $name, which $1 needs"
        if is_absent "$name"; then
            absent[$name]=${found[$name]}
            continue
        fi
        cp -L "${found[$name]}" "$own/lib/$name"
        bundled+=("$(realpath "${found[$name]}")")
        take_needed "$own/lib/$name"
    done
}
take_needed "$own/lib/heddle-program.so"
take_needed "$own/cuda/libheddle-cuda.so"
take_needed "$own/bin/clang"
bundled+=("$clang" "$(realpath "$resources/include/opencl-c.h")")

# The OpenCL loader, which nothing is linked with: the launcher takes it where the system has none.
loader=$(cc -print-file-name=libOpenCL.so.1)
[ -f "$loader" ] || fail "the compiler finds no libOpenCL.so.1"
cp -L "$loader" "$own/lib/libOpenCL.so.1"
bundled+=("$(realpath "$loader")")

# Headers of C++ and of C, which CUDA C includes: one folder for each, where Debian has two.
cpp=$(realpath "$("$clang" -x c++ -E -v - 2>&1 </dev/null | sed -n 's/^ \(.*\/include\/c++\/[0-9]*\)$/\1/p')")
triple=$("$clang" -print-target-triple | sed 's/-pc-/-/')
copy_headers() { # OF FOLDER TO: the headers in FOLDER that are of the package that OF is of
    local package
    package=$(owner "$1")
    mkdir -p "$3"
    dpkg-query -L "${package%%: *}" | sed -n "s:^$2/::p" | while read -r name; do
        [ ! -f "$2/$name" ] || echo "$name"
    done | tar -C "$2" -chf - -T - | tar -C "$3" -xf -
}
copy_headers "$cpp/cmath" "$cpp" "$own/include/c++"
copy_headers "$cpp/cmath" "/usr/include/$triple/c++/$(basename "$cpp")" "$own/include/c++"
for name in stdlib.h linux/limits.h; do
    copy_headers "/usr/include/$name" "/usr/include/$triple" "$own/include/c"
    copy_headers "/usr/include/$name" /usr/include "$own/include/c"
done
rm -r "$own/include/c/$triple" # taken above
bundled+=("$cpp/cmath" /usr/include/{stdlib.h,linux/limits.h})

# ---- a library in place of the absent ones ------------------------------------------------------

# NAME or NAME@VERSION of what the staged libraries take from elsewhere.
nm -D --undefined-only --with-symbol-versions "$own"/lib/*.so* | awk '{ print $NF }' |
    sort -u >"$work/undefined"
: >"$work/absent.inc"
for name in "${!absent[@]}"; do
    nm -D --defined-only "${absent[$name]}" |
        awk '{ sub(/@.*/, "", $3); print $3, $2 ~ /[BDRV]/ ? "DATA" : "FUNCTION" }' |
        sort -u | join - <(sed 's/@.*//' "$work/undefined" | sort -u) |
        awk '{ print $2 "(" $1 ")" }' >>"$work/absent.inc"
done
# Versions as those who ask have them.
sed -n 's/(\(.*\))$/ \1/p' "$work/absent.inc" | awk '{ print $2 }' | sort >"$work/names"
sed 's/@/ /' "$work/undefined" | sort | join - "$work/names" |
    awk 'NF == 2 { of[$2] = of[$2] " " $1 ";" }
         END { for (v in of) print v " { global:" of[v] " };" }' >"$work/versions"
cc -shared -fPIC -O2 -I"$work" -Wl,-soname,libheddle-absent.so \
    -Wl,--version-script="$work/versions" "$source/package/absent.c" \
    -o "$own/lib/libheddle-absent.so"
strip --strip-unneeded "$own/lib/libheddle-absent.so"

# Each finds the others beside it, whatever LD_LIBRARY_PATH says.
replace=()
for name in "${!absent[@]}"; do replace+=(--replace-needed "$name" libheddle-absent.so); done
for file in "$own"/lib/*.so*; do
    chmod u+w "$file"
    patchelf --force-rpath --set-rpath '$ORIGIN' "${replace[@]}" "$file"
done
chmod u+w "$own/bin/clang"
patchelf --force-rpath --set-rpath '$ORIGIN/../lib' "$own/bin/clang"
for file in "$own"/libheddle-{native,layer}.so; do
    patchelf --force-rpath --set-rpath '$ORIGIN/lib' "$file"
done

# ---- licences --------------------------------------------------------------------------------

licences=$stage/share/doc/heddle/licences
mkdir -p "$licences"
{
    echo "Parts of this package come from Debian, unchanged but for where they look for each other."
    echo "Their sources, of these versions, are at https://snapshot.debian.org; licences in full are"
    echo "in the files beside this one."
    echo
    for file in "${bundled[@]}"; do owner "$file"; done | sed 's/: .*//' | sort -u |
        while read -r name; do
            cp -L "/usr/share/doc/${name%:*}/copyright" "$licences/${name%:*}"
            dpkg-query -W -f '${binary:Package} ${Version} (source ${source:Package} ${source:Version})\n' "$name"
        done
    echo
    echo "The report page holds uPlot, whose licence is the file uPlot."
} >"$licences/README"
for name in $(grep -ho '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$licences"/* | sort -u); do
    [ ! -e "$name" ] || cp -L "$name" "$licences/"
done
cp "$build/src/cli/report/web/node_modules/uplot/LICENSE" "$licences/uPlot"

cp "$source/package/README.md" "$source/LICENSE" "$stage/"
chmod -R u+w,go-w,a+rX "$stage"
