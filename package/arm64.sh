#!/usr/bin/env bash
# package/arm64.sh BUILD [NINJA_TARGET...]: a build for arm64 in the folder BUILD, on a Debian of another kind:
# fetches Debian's packages for arm64 into BUILD.sysroot, changing nothing of this system, and builds with the
# cross compiler (arm64.cmake). What was built runs here by `qemu-aarch64 -L BUILD.sysroot`.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
fail() { printf 'arm64.sh: %s\n' "$*" >&2; exit 2; }
[ $# -ge 1 ] || fail "usage: package/arm64.sh BUILD [NINJA_TARGET...]"
build=$(realpath -m "$1")
shift
for tool in aarch64-linux-gnu-g++ qemu-aarch64 apt-get cmake ninja; do
    command -v "$tool" >/dev/null || fail "no $tool here; Debian has it in g++-aarch64-linux-gnu, qemu-user, apt, cmake, ninja-build"
done
root=$build.sysroot

if [ ! -e "$root/done" ]; then
    apt=$root/var/heddle-apt # what apt knows and has fetched, apart from this system's
    mkdir -p "$apt"/{state/lists/partial,cache/archives/partial}
    : >"$apt/status"
    get() {
        apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$apt/state" \
            -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" -o Debug::NoLocking=1 \
            -o APT::Sandbox::User="$(id -un)" "$@"
    }
    get update
    get install -y --download-only --no-install-recommends clang-19 llvm-19-dev libclang-19-dev libc6-dev \
        libstdc++-12-dev zlib1g-dev libyaml-dev libjansson-dev libhwloc-dev opencl-headers ocl-icd-opencl-dev \
        pocl-opencl-icd libzstd-dev liblz4-dev libxxhash-dev libsqlite3-dev libcmocka-dev >"$apt/log"
    for file in "$apt"/cache/archives/*.deb; do dpkg-deb -x "$file" "$root"; done
    rm -r "$apt"
    # Links to absolute paths would lead out of the folder.
    find "$root" -type l -lname '/*' | while read -r link; do
        to=$root$(readlink "$link")
        [ ! -e "$to" ] || ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$to")" "$link"
    done
    touch "$root/done"
fi
cmake -G Ninja -S "$source" -B "$build" -DCMAKE_TOOLCHAIN_FILE="$source/package/arm64.cmake" \
    -DHEDDLE_SYSROOT="$root" -DCMAKE_BUILD_TYPE=Release >"$build.log" || { cat "$build.log" >&2; exit 2; }
ninja -C "$build" "${@:-product}"
