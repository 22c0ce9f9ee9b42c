#!/bin/bash
# What `cmake --install` leaves works after it was moved: the program takes what lies beside it, and
# not what the source tree has.
source "$(dirname "$0")/../cli/lib.sh"
build=${HEDDLE_BUILD:?ctest sets it: the folder of the build}

cmake --install "$build" --prefix "$work/prefix" >"$work/log/out" 2>"$work/log/err" ||
    complain "cmake --install"
mv "$work/prefix" "$work/moved prefix"
heddle="$work/moved prefix/bin/heddle"
share="$work/moved prefix/share/heddle"

for name in examples/kmeans/kmeans.yaml examples/kmeans/kmeans.cl examples/host.h \
    bench/table2/sampo.yaml devices/h200.yaml cuda/own/heddle_cuda.h; do
    [ -f "$share/$name" ] || complain "share/heddle/$name is not installed"
done
accepts --version
accepts advise --accesses "$share/bench/table2/sampo.yaml"

# ---- profiles ----------------------------------------------------------------------------

mv "$share/devices/h200.yaml" "$share/devices/only-here.yaml"
accepts advise body.yaml --device only-here
refuses "no device 'h200'.* only-here" advise body.yaml --device h200

# Through a link to the program, too.
ln -s "$heddle" "$work/linked"
heddle=$work/linked accepts advise body.yaml --device only-here

# ---- headers for CUDA C ------------------------------------------------------------------------

echo '#define ONLY_HERE 1' >>"$share/cuda/heddle_functions.h"
cat >here.cu <<'END'
#ifndef ONLY_HERE
#error not the header that lies beside the program
#endif
__global__ void push(float *x) { x[threadIdx.x] += 1; }
END
accepts advise --accesses here.cu --global 64 --local 64

# ---- clang -----------------------------------------------------------------------------------------

mkdir -p "$work/moved prefix/lib/heddle/bin"
printf '#!/bin/sh\necho "body.cl:1:1: error: the clang beside the program" >&2\nexit 1\n' \
    >"$work/moved prefix/lib/heddle/bin/clang"
chmod +x "$work/moved prefix/lib/heddle/bin/clang"
refuses 'the clang beside the program' advise --accesses body.yaml
finish
