#!/usr/bin/env bash
# package/deb.sh BUILD FILE: a package for Debian, FILE, from a release build. docs/package.md says
# what lies where, and why.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
fail() { printf 'deb.sh: %s\n' "$*" >&2; exit 2; }
[ $# -eq 2 ] || fail "usage: package/deb.sh BUILD FILE"
build=$(realpath "$1") file=$(realpath -m "$2")
for tool in cmake patchelf dpkg-deb dpkg-query dpkg-shlibdeps strip; do
    command -v "$tool" >/dev/null || fail "no $tool here; Debian 12 has all that makes a package"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stage=$work/stage usr=$work/stage/usr doc=$work/stage/usr/share/doc/heddle

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
version=$(cached CMAKE_PROJECT_VERSION)
clang=$(dpkg-query -S "$(realpath "$(cached CLANG_PROGRAM)")" 2>/dev/null | sed 's/:.*//') ||
    fail "no package of Debian's has $(cached CLANG_PROGRAM), which the program needs"
author() { git -C "$source" log -1 --format="$1" 2>/dev/null || true; }
name=${DEBFULLNAME:-$(author %an)} mail=${DEBEMAIL:-$(author %ae)}
[ -n "$name" ] && [ -n "$mail" ] ||
    fail "who maintains the package? DEBFULLNAME and DEBEMAIL say it where there is no commit"
epoch=${SOURCE_DATE_EPOCH:-$(author %ct)}
date=$(date -u -R -d "@${epoch:-0}")

# ---- files -------------------------------------------------------------------------------------

cmake --install "$build" --prefix "$usr" >"$work/log" || { cat "$work/log" >&2; exit 2; }
# heddle-mpi wants the MPI of its machine; the libraries for programs would be packages of their
# own: the tarball has them.
rm -r "$usr"/bin/heddle-mpi "$usr"/share/man/man1/heddle-mpi.1 "$usr"/include "$usr"/lib/pkgconfig \
    "$usr"/lib/libheddle-*.so* "$usr"/lib/cmake/heddle/heddle-targets*.cmake \
    "$usr"/share/heddle/remap "$usr"/share/doc/heddle-remap 2>/dev/null || true
cp "$build/package/heddle_debian" "$usr/bin/heddle"
mapfile -t programs < <(find "$usr/bin/heddle" "$usr"/lib/heddle -type f | sort)
strip --strip-unneeded --remove-section=.comment "${programs[@]}"
patchelf --remove-rpath "$usr"/lib/heddle/libheddle-{native,layer}.so
mkdir -p "$usr/share/zsh"
mv "$usr/share/zsh/site-functions" "$usr/share/zsh/vendor-completions" # where Debian's zsh looks
gzip -9n "$usr"/share/man/man1/*
rm "$doc/LICENSE" # is in copyright
{
    printf 'heddle (%s) unstable; urgency=medium\n\n' "$version"
    printf '  * The release; docs/ has a page for each subject.\n\n'
    printf ' -- %s <%s>  %s\n' "$name" "$mail" "$date"
} | gzip -9nc >"$doc/changelog.gz"
{
    cat <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: heddle

Files: *
Copyright: $(date -u -d "@${epoch:-0}" +%Y) $name <$mail>
License: Apache-2.0
 On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.

Files: usr/bin/heddle
Copyright: $(date -u -d "@${epoch:-0}" +%Y) $name <$mail>
 $(sed -n 's/^Copyright (c) //p' "$build/src/cli/report/web/node_modules/uplot/LICENSE")
License: Apache-2.0 and Expat
 The report page that it writes holds uPlot, whose licence is Expat's:
 .
END
    sed '1,/^Copyright/d' "$build/src/cli/report/web/node_modules/uplot/LICENSE" | sed '1{/^$/d}; s/^$/./; s/^/ /'
} >"$doc/copyright"
chmod -R u+w,go-w,a+rX "$stage"
find "$usr/lib" -name '*.so*' -type f -exec chmod 644 {} +
if grep -rlF -e "$source" -e "$build" "$stage" >"$work/log"; then
    fail "a folder of this machine stands in" $(cat "$work/log")
fi

# ---- what it says of itself ----------------------------------------------------------------------

mkdir -p "$work/debian" "$stage/DEBIAN"
echo 'Source: heddle' >"$work/debian/control"
elf=() # what is linked
for program in "${programs[@]}"; do
    if readelf -h "$program" >/dev/null 2>&1; then elf+=("-e$program"); fi
done
(cd "$work" && dpkg-shlibdeps -O -l"$usr/lib/heddle/cuda" --ignore-missing-info "${elf[@]}" \
    >"$work/depends" 2>"$work/log") || { cat "$work/log" >&2; fail "dpkg-shlibdeps"; }
cat >"$stage/DEBIAN/control" <<END
Package: heddle
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: $name <$mail>
Installed-Size: $(du -sk "$usr" | cut -f1)
Depends: $clang, $(sed -n 's/^shlibs:Depends=//p' "$work/depends")
Recommends: ocl-icd-libopencl1
Suggests: pocl-opencl-icd
Section: devel
Priority: optional
Description: data layouts of GPU kernels, and GPU programs without a GPU
 Heddle takes kernels in OpenCL C or CUDA C, shows each access to memory and
 what it costs on a GPU, finds the layout of their structs that costs least,
 and writes the kernels in it. It runs kernels, and CUDA and OpenCL programs
 as they are, on a machine of its own, which finds faults and races.
END
(cd "$stage" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$stage" -newermt "@${epoch:-0}" -exec touch -h -d "@${epoch:-0}" {} +
SOURCE_DATE_EPOCH=${epoch:-0} dpkg-deb --root-owner-group --build "$stage" "$work/heddle.deb" >"$work/log" ||
    { cat "$work/log" >&2; exit 2; }
mv "$work/heddle.deb" "$file"
