#!/bin/bash
# The package for Debian: lintian finds nothing, its program runs from where it is unpacked, and, given a file,
# in a new Debian, where apt installs it with what it depends on, as a user without rights.
#
#     test_deb.sh HEDDLE [PACKAGE]
#
# Without a package one is made from the build folder, HEDDLE_BUILD, and no Debian is made, which needs the net.
[ $# -lt 2 ] || set -- "$1" "$(realpath "$2")"
source "$(dirname "$0")/../cli/lib.sh"
build=${HEDDLE_BUILD:?ctest sets it: the folder of the build}
: >"$work/log/out" >"$work/log/err"
for tool in dpkg-deb dpkg-shlibdeps patchelf; do
    command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 0; }
done
package=${2:-$work/heddle.deb}
[ $# -ge 2 ] || bash "$source_folder/package/deb.sh" "$build" "$package" || exit 2

# ---- what it holds, and says of itself ---------------------------------------------------------------

if command -v lintian >/dev/null; then
    lintian --allow-root "$package" >"$work/log/out" 2>&1 || complain "lintian"
    [ ! -s "$work/log/out" ] || complain "lintian has found something"
else
    echo "NOT TESTED: there is no lintian"
fi
dpkg-deb -f "$package" Depends >"$work/log/out"
for name in clang-19 libllvm19 libc6 libyaml-0-2 libjansson4 libhwloc15 libsqlite3-0 libzstd1 liblz4-1; do
    prints "(^|, )$name( \\(|,|\$)"
done
dpkg-deb -x "$package" "$work/unpacked"
[ -z "$(find "$work/unpacked" -perm /6022 ! -type l)" ] || complain "files that others may write"
grep -rlaF -e "$source_folder" -e "$build" -e "$(realpath "$build")" "$work/unpacked" >"$work/log/out" &&
    complain "a folder of this machine is in the package"

# ---- where it is unpacked ------------------------------------------------------------------------------

built=$heddle
heddle=$work/unpacked/usr/bin/heddle
accepts advise body.yaml --device h200
cp "$work/log/out" "$work/unpacked.out"
"$built" advise body.yaml --device h200 | diff "$work/unpacked.out" - >"$work/log/out" ||
    complain "advise: the package's program (<) says something else than the built one (>)"
mkdir project
printf '%s\n' 'cmake_minimum_required(VERSION 3.20)' 'project(foreign LANGUAGES NONE)' 'enable_testing()' \
    'find_package(heddle REQUIRED COMPONENTS program)' 'add_executable(app IMPORTED)' \
    'set_target_properties(app PROPERTIES IMPORTED_LOCATION /bin/true)' 'heddle_test(app app)' >project/CMakeLists.txt
cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$work/unpacked/usr" >"$work/log/out" 2>&1 &&
    ctest --test-dir project/build >"$work/log/out" 2>&1 || complain "heddle_test()"
[ $# -ge 2 ] || finish

# ---- a new Debian ---------------------------------------------------------------------------------------

no_debian=
[ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null ||
    no_debian="no new Debian can be made here: that needs root and debootstrap"
if [ -n "$no_debian" ] && [ -n "${HEDDLE_NO_BARE_ROOT:-}" ]; then
    echo "NOT TESTED, as HEDDLE_NO_BARE_ROOT asks: $no_debian"
    finish
fi
[ -z "$no_debian" ] || { complain "$no_debian; HEDDLE_NO_BARE_ROOT=1 leaves this out"; finish; }
root=$work/debian
. /etc/os-release
debootstrap --variant=minbase "$VERSION_CODENAME" "$root" >"$work/log/out" 2>"$work/log/err" ||
    { complain "debootstrap $VERSION_CODENAME"; finish; }
cp -rL /etc/apt/sources.list* "$root/etc/apt/" 2>/dev/null
cp /etc/resolv.conf "$root/etc/" 2>/dev/null
cp "$package" "$root/tmp/heddle.deb"
# inside OPTION... ROOT COMMAND...: chroot, with a /proc that goes when the command ends.
inside() {
    unshare --mount --pid --fork sh -c 'mount -t proc proc "$0/proc" && exec chroot "$@"' "$root" "$@" \
        >"$work/log/out" 2>"$work/log/err" </dev/null
}
inside "$root" sh -c 'apt-get update && apt-get install -y --no-install-recommends /tmp/heddle.deb' ||
    complain "apt-get install"
[ "$(chroot "$root" dpkg-query -W -f '${Status}' heddle)" = 'install ok installed' ] || complain "dpkg"

mkdir -m 777 "$root/home/stranger"
cp -r "$source_folder/tests/cuda/kept" "$root/home/stranger/kept"
cp body.cl body.yaml "$root/home/stranger/"
as_stranger() { inside --userspec=65534:65534 "$root" env -i PATH=/usr/bin:/bin HOME=/home/stranger sh -c "cd && $1"; }
as_stranger 'heddle advise body.yaml --device h200' || complain "advise, in a new Debian"
diff "$work/log/out" "$work/unpacked.out" >"$work/log/err" || complain "advise says something else in a new Debian"
as_stranger 'heddle run /usr/share/heddle/examples/kmeans/kmeans-small.yaml --device h200' || complain "run, in a new Debian"
prints '^Global memory'
as_stranger 'heddle report -o page.html /usr/share/heddle/examples/nbody/nbody-small.yaml' || complain "report, in a new Debian"
[ -s "$root/home/stranger/page.html" ] || complain "report has written no page"
# A CUDA program, by the driver interface.
cc -std=c17 -o "$root/home/stranger/host" "$source_folder/tests/cuda/kept/host.c" \
    "$(dirname "$built")/cuda/libcuda.so.1" -Wl,-rpath-link,"$(dirname "$built")/cuda" || complain "host.c"
as_stranger 'heddle run --leaks -- ./host kept' || complain "run -- ./host, in a new Debian"
prints '^as expected$'
inside "$root" dpkg --purge heddle || complain "dpkg --purge"
[ ! -e "$root/usr/share/heddle" ] && [ ! -e "$root/usr/lib/heddle" ] || complain "dpkg --purge leaves files"
finish
