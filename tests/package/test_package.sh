#!/bin/bash
# The package in a bare root: a folder with the files of the C library, the examples and nothing
# else, entered without the net, in a name space of its own, as a user without rights to write
# anything but /work. There it must say what the built program says here.
#
#     test_package.sh HEDDLE [TARBALL]
#
# Without a tarball the package is staged from the build folder, HEDDLE_BUILD.
[ $# -lt 2 ] || set -- "$1" "$(realpath "$2")"
source "$(dirname "$0")/../cli/lib.sh"
build=${HEDDLE_BUILD:?ctest sets it: the folder of the build}
root=$work/root
package="$root/opt/a folder with spaces/heddle" # what is tested; in the root it is $inside
inside=${package#"$root"}
: >"$work/log/out" >"$work/log/err"

mkdir -p "$(dirname "$package")"
if [ $# -ge 2 ]; then
    [ "$(stat -c %s "$2")" -lt 60000000 ] || complain "$2 has 60 MB or more"
    mkdir "$work/unpacked"
    tar -C "$work/unpacked" -xf "$2" || { echo "tar cannot unpack $2"; exit 2; }
    set -- "$1" "$2" "$work"/unpacked/*
    [ $# -eq 3 ] && [[ $(basename "$2") = "$(basename "$3")".tar.xz ]] ||
        complain "$2 holds something else than one folder of its name: ${*:3}"
    mv "$3" "$package"
else
    bash "$source_folder/package/stage.sh" "$build" "$package" || exit 2
fi

# ---- what the files need ---------------------------------------------------------------------

# Those of the C library; all else must be in the package.
c_library='ld-linux-x86-64.so.2 libc.so.6 libm.so.6 libdl.so.2 librt.so.1 libpthread.so.0'
needed() { readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
elf_files() {
    find "$package" -type f \( -perm /111 -o -name '*.so*' \) -print0 |
        while IFS= read -r -d '' file; do
            [ "$(head -c 4 "$file" | tr -d '\0')" != $'\x7fELF' ] || echo "$file"
        done
}
elf_files >"$work/elf"
[ "$(wc -l <"$work/elf")" -ge 10 ] || complain "found hardly a program in the package"
while IFS= read -r file; do
    name=${file#"$package"/}
    for library in $(needed "$file"); do
        case " $c_library " in *" $library "*) continue ;; esac
        [ -e "$package/lib/heddle/lib/$library" ] || [ -e "${file%/*}/$library" ] ||
            complain "$name needs $library"
    done
    newest=$(readelf -VW "$file" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
    [ "$(printf '%s\n' GLIBC_2.36 "$newest" | sort -V | tail -1)" = GLIBC_2.36 ] ||
        complain "$name needs $newest; make the package on a system with glibc 2.36"
    path=$(readelf -dW "$file" | sed -n 's/.*(R.*PATH).*\[\(.*\)\]/\1/p')
    case $name:$path in
    lib/heddle/bin/*:'$ORIGIN/../lib' | lib/heddle/lib/*:'$ORIGIN' | \
        lib/heddle/libheddle-native.so:'$ORIGIN/lib' | lib/heddle/libheddle-layer.so:'$ORIGIN/lib' | \
        lib/heddle/cuda/libheddle-cuda.so:'$ORIGIN/../lib' | lib/heddle/cuda/lib[ac][mu]d*:'$ORIGIN' | \
        lib/heddle/cuda/libheddle-linked.so: | lib/heddle/cuda/nvrtc*/libnvrtc*: | bin/heddle: | lib/libheddle*: | lib/heddle/libgpuocelot.so:) ;;
    *) complain "$name looks for libraries in '$path'" ;;
    esac
done <"$work/elf"

# Neither the source's nor the build's folder, nor the user's.
grep -rlaF -e "$source_folder" -e "$build" -e "$(realpath "$build")" "$package" >"$work/leaks"
[ ! -s "$work/leaks" ] || complain "a folder of this machine stands in" $(cat "$work/leaks")
[ -z "$(find "$package" -type l -lname '/*')" ] || complain "there are links to absolute paths"
[ -z "$(find "$package" -perm /6022 ! -type l)" ] || complain "files that others may write"
for name in README.md LICENSE share/doc/heddle/docs/job.md share/doc/heddle/licences/libllvm19 \
    share/doc/heddle/licences/uPlot lib/cmake/heddle/heddle-test.cmake share/man/man1/heddle-advise.1 share/heddle/bench/table2/sampo.yaml \
    lib/heddle/lib/clang/19/include/{opencl-c.h,opencl-c-base.h,__clang_cuda_runtime_wrapper.h}; do
    [ -s "$package/$name" ] || complain "the package has no $name"
done

# ---- beside the libraries of a system ------------------------------------------------------------

built=$heddle
heddle=$package/bin/heddle
libraries() { # those of the C++ library and the OpenCL loader that the program takes
    LD_DEBUG=files "$heddle" device list 2>&1 >/dev/null |
        sed -n 's/.*calling init: \(.*lib\(stdc++\|OpenCL\).so.*\)/\1/p' | sort -u
}

# Drivers of OpenCL come with the system, and so does what it shares with them.
call device list
cp "$work/log/out" "$work/here"
"$built" device list | diff "$work/here" - >"$work/log/out" || complain "device list: others (<) than the built program's (>)"
libraries >"$work/log/out"
[ "$(wc -l <"$work/log/out")" -eq 2 ] && ! grep -F "$package" "$work/log/out" >/dev/null ||
    complain "the package does not take the system's C++ library and OpenCL loader"
export HEDDLE_OWN_LIBRARIES=1
libraries >"$work/log/out"
[ "$(grep -cF "$package" "$work/log/out")" -eq 2 ] ||
    complain "with HEDDLE_OWN_LIBRARIES it does not take its own"
accepts advise body.yaml
unset HEDDLE_OWN_LIBRARIES

# A C++ library that is too old, found first.
mkdir "$work/old"
echo 'GLIBCXX_3.4 { old; }; CXXABI_1.3 { older; };' >"$work/old/versions"
echo 'int old, older;' | cc -shared -fPIC -x c - -Wl,-soname,libstdc++.so.6 \
    -Wl,--version-script="$work/old/versions" -o "$work/old/libstdc++.so.6"
export LD_LIBRARY_PATH=$work/old
accepts advise body.yaml
unset LD_LIBRARY_PATH
# Another folder.
mv "$package" "$work/elsewhere"
heddle=$work/elsewhere/bin/heddle
accepts advise body.yaml --device h200

# ---- libheddle-remap --------------------------------------------------------------------------

cat >program.c <<'END'
#include <heddle/remap.h>
#include <stdio.h>
int main(void) {
    hd_remap *map;
    hd_diag diag = {0};
    float rows[2][3] = {{1, 2, 3}, {4, 5, 6}}, columns[3][2];
    if (hd_remap_transpose(&diag, 2, 3, sizeof(float), &map) != HD_OK ||
        hd_remap_apply(&diag, map, (void *[]){columns}, rows, NULL) != HD_OK)
        return 1;
    printf("%g %g %g\n", columns[0][1], columns[1][1], columns[2][1]);
    hd_remap_free(map);
}
END
flags=$(PKG_CONFIG_PATH="$work/elsewhere/lib/pkgconfig" pkg-config --cflags --libs heddle-remap) ||
    complain "pkg-config knows no heddle-remap"
eval "cc -std=c17 program.c -o program $flags" 2>"$work/log/err" || complain "cannot link with $flags"
[ "$(LD_LIBRARY_PATH=$work/elsewhere/lib ./program)" = "4 5 6" ] || complain "the program prints something else"
mv "$work/elsewhere" "$package"
heddle=$built

# ---- the bare root -----------------------------------------------------------------------------

mkdir -p "$root"/{lib64,proc,dev,tmp,work,lib/x86_64-linux-gnu}
chmod 777 "$root/work" "$root/tmp"
: >"$root/dev/null"
libc_folder=$(dirname "$(ldd /bin/sh | sed -n 's/.*=> \(.*libc\.so\.6\).*/\1/p')")
for library in $c_library; do
    cp -L "$libc_folder/$library" "$root/lib/x86_64-linux-gnu/" 2>/dev/null ||
        cp -L "/lib64/$library" "$root/lib/x86_64-linux-gnu/" || complain "no $library here"
done
ln -s ../lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 "$root/lib64/"
cp -r "$package/share/heddle/examples" "$root/examples"
cp -r "$source_folder/tests/cuda" "$root/cuda"
cp body.cl body.yaml "$root/"
sed 's/ \* dt;/ * dx;/' body.cl >"$root/wrong.cl"

# As root a name space for mounts is enough, and the user there is nobody's; others need one for
# users, too, and are themselves in it.
separate=(unshare --mount --net --pid --fork)
as=(--userspec=65534:65534)
[ "$(id -u)" -eq 0 ] || { separate+=(--user --map-root-user) as=(); }
enter='set -e
    mount --bind "$1" "$1"
    mount --bind "$1/work" "$1/work"
    mount --bind "$1/tmp" "$1/tmp"
    mount -o remount,bind,ro "$1"
    mount -t proc proc "$1/proc" 2>/dev/null || mount --rbind /proc "$1/proc"
    mount --bind /dev/null "$1/dev/null"
    shift
    exec chroot "$@"'
if ! "${separate[@]}" sh -c "${enter%exec*}" sh "$root" >"$work/log/out" 2>"$work/log/err"; then
    no_root="no bare root can be made here: neither root's chroot nor name spaces for users work"
    if [ -n "${HEDDLE_NO_BARE_ROOT:-}" ]; then
        echo "NOT TESTED, as HEDDLE_NO_BARE_ROOT asks: $no_root"
    else
        complain "$no_root; HEDDLE_NO_BARE_ROOT=1 leaves this out"
    fi
    finish
fi

# bare ARGUMENTS: the package's program in the root.
bare() {
    "${separate[@]}" sh -c "$enter" sh "$root" "${as[@]}" "$root" "${bare_program:-$inside/bin/heddle}" "$@"
}
bare_call() {
    env -i HEDDLE_DATABASE=/work/profiles.db "${bare_environment[@]}" PATH="$PATH" \
        "$(command -v bash)" -c "$(declare -p separate enter root as inside bare_program 2>/dev/null
            declare -f bare); bare \"\$@\"" bash "$@" >"$work/log/out" 2>"$work/log/err" </dev/null
    status=$?
}
bare_environment=()

# Times, and where the device profile lies, are not the same in both.
alike() { sed -E -e 's/scored in .*//' -e '/^ *"(seconds|file)": .*(devices|[0-9]).*,?$/d' "$1"; }

# same ARGUMENTS: the package's program in the bare root prints what the built one prints here.
same() {
    bare_call "$@"
    [ "$status" -eq 0 ] || complain "in a bare root: heddle $*: exit status $status"
    [ ! -s "$work/log/err" ] || complain "in a bare root: heddle $*: said something"
    alike "$work/log/out" >"$work/bare"
    (cd "$root" && "$heddle" "$@" 2>&1) >"$work/built"
    alike "$work/built" >"$work/here"
    [ "$(wc -c <"$work/here")" -gt 5 ] || complain "the built program prints nothing: heddle $*"
    diff "$work/bare" "$work/here" >"$work/log/out" ||
        complain "heddle $*: in a bare root (<) it is not as here (>)"
}

# "libc and nothing else" must be true of the root, too.
bare_program=$inside/lib/heddle/bin/clang bare_call --version
[ "$status" -eq 0 ] && prints 'clang version' || complain "the package's clang does not run"
if bare_program=/bin/sh bare -c true 2>/dev/null; then
    complain "the bare root has a shell"
fi
find "$root" -path "$root/opt" -prune -o -name '*.so*' -printf '%f\n' | sort | tr '\n' ' ' >"$work/libraries"
[ "$(wc -w <"$work/libraries")" -le 7 ] || complain "the root is not bare: $(cat "$work/libraries")"

same --version
same help advise
for example in kmeans nbody lavamd blackscholes bitonic sampo; do
    same advise examples/$example/$example.yaml --device tesla-k20c --run 0
    same advise examples/$example/$example.yaml --device h200 --run 0 --json
done
same advise examples/lavamd/lavamd-small.yaml
bare_environment=(LD_BIND_NOW=1)
same advise examples/kmeans/kmeans.yaml --device tesla-k20c
bare_environment=()
for kernel in reduce templates shuffles math; do same advise --accesses cuda/$kernel.yaml; done
printf '%s\n' '#include <stdio.h>' '#include <cstdint>' '#include <vector>' '#include <unistd.h>' \
    '__global__ void k(uint32_t *x) { x[threadIdx.x] += 1; }' >"$root/headers.cu"
same advise --accesses headers.cu --global 64 --local 64
same advise --graph examples/sampo/sampo-small.yaml

bare_call device list
[ "$status" -eq 0 ] || complain "device list: exit status $status"
prints '^  h200 '
bare_call advise body.yaml --device host
[ "$status" -eq 0 ] || complain "the profile of this machine: exit status $status"

# Runs, of both languages: the same counts, and the same memory at the end.
for job in examples/kmeans/kmeans-small.yaml cuda/reduce.yaml; do
    buffer=$(sed -n 's/.*{*name: \([a-z]*\).*/\1/p' "$root/$job" | head -1)
    bare_call run "$job" --device tesla-k20c --dump "$buffer=/work/bare.raw"
    [ "$status" -eq 0 ] || complain "run $job: exit status $status"
    (cd "$root" && "$heddle" run "$job" --device tesla-k20c --dump "$buffer=$work/here.raw") \
        >"$work/built" 2>&1
    sed -n '/^Global memory/,/^$/p' "$work/log/out" >"$work/bare"
    sed -n '/^Global memory/,/^$/p' "$work/built" | diff "$work/bare" - >"$work/log/err" ||
        complain "run $job: other counts than here"
    [ -s "$work/bare" ] && cmp -s "$root/work/bare.raw" "$work/here.raw" ||
        complain "run $job: other memory than here"
done

mkdir "$root/work/new" "$work/new"
chmod 777 "$root/work/new"
bare_call apply examples/kmeans/kmeans-small.yaml --layout soa --out /work/new
[ "$status" -eq 0 ] || complain "apply: exit status $status"
(cd "$root" && "$heddle" apply examples/kmeans/kmeans-small.yaml --layout soa --out "$work/new") >/dev/null
[ -s "$work/new/kmeans.cl" ] && diff -r "$root/work/new" "$work/new" >"$work/log/out" ||
    complain "apply: other kernels (<) than here (>)"

bare_call report examples/kmeans/kmeans-small.yaml -o /work/page.html
[ "$status" -eq 0 ] && grep -q '</html>' "$root/work/page.html" || complain "report wrote no page"
bare_call report examples/kmeans/kmeans-small.yaml -o "$inside/page.html"
[ "$status" -eq 2 ] && [ ! -e "$package/page.html" ] || complain "the package is not read-only here"
bare_call trace examples/kmeans/kmeans-small.yaml -o /work/kmeans.hdt
[ "$status" -eq 0 ] && [ -s "$root/work/kmeans.hdt" ] || complain "trace wrote no file"

# What is wrong is said as it is here.
bare_call advise --accesses wrong.cl --global 64 --local 64
[ "$status" -eq 2 ] || complain "a kernel that does not compile: exit status $status"
grep -q "wrong.cl:8:.*error: .*undeclared identifier 'dx'" "$work/log/err" ||
    complain "a kernel that does not compile: another message"

lost=libclang-19.so.19
mv "$package/lib/heddle/lib/$lost" "$work/"
bare_call --version
[ "$status" -eq 2 ] && grep -q 'heddle: cannot load heddle-program.so: lib.*unpack the package again' "$work/log/err" ||
    complain "a package that lacks a library does not say so"
mv "$work/$lost" "$package/lib/heddle/lib/"
finish
