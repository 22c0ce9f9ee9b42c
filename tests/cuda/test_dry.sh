#!/bin/bash
# heddle run --dry: what of a program would be refused, from its files alone. Nothing runs: the programs
# here would end with 3.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cuda/programs.sh"
[ "$(uname -m)" = x86_64 ] || { echo 'skipped: code is of another machine'; exit 0; }

cp "$kept/vectors.ptx" "$programs/check.h" .
before='static int early = [] { _Exit(3); return 0; }();'
{ echo '#include <cstdlib>'; cat "$programs/vectors.cu"; echo "$before"; } >vectors.cu
build_kept vectors.cu || complain 'vectors cannot be built'
./vectors >/dev/null 2>&1
[ $? -eq 3 ] || complain 'the program runs'
accepts run --dry -- ./vectors
prints '^./vectors on h200: [0-9]+ kernels? in PTX, 0 refused; [0-9]+ instructions and calls exact$'
accepts run --dry --json -- ./vectors
python3 - "$work/log/out" <<'END' || complain 'the JSON is another one'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["exact"] > 20 and d["machine_codes"] == 0 and d["kernels"], d
assert all(k["refused"] is None and k["file"] == "./vectors" for k in d["kernels"]), d
assert all(u["fidelity"] == "approximate" for u in d["used"]), d
END

# Of two kernels one with an instruction that is refused, and one that there is not; a call that is refused,
# and one that is approximate. Where the machine knows more of it, this test asks for another one.
cat >>vectors.ptx <<'END'
.visible .entry other(.param .u64 p) {
    .reg .b64 %d;
    ld.param.u64 %d, [p];
    multimem.red.relaxed.sys.global.add.u32 [%d], 1;
    ret;
}
.visible .entry third(.param .u64 p) {
    .reg .b32 %w;
    frobnicate.u32 %w, 1;
    ret;
}
END
cat >>vectors.cu <<'END'
extern "C" int cudaGraphicsMapResources(int, void *, void *);
extern "C" int cudaGetDeviceProperties_v2(void *, int);
extern "C" int unused() { return cudaGraphicsMapResources(0, 0, 0) + cudaGetDeviceProperties_v2(0, 0); }
END
sed -i '/cudaGetDeviceProperties_v2/d' vectors.cu
echo 'extern "C" int unused() { float f; return cudaGraphicsMapResources(0, 0, 0) + cudaEventElapsedTime(&f, 0, 0); }' >>vectors.cu
build_kept vectors.cu || complain 'vectors with more kernels cannot be built'
expect_refused() {
    "$heddle" run --dry -- "$1" >"$work/log/out" 2>"$work/log/err"
    [ $? -eq 1 ] || complain "something is refused in $1, and the exit status is another one"
    prints 'kernels in PTX, 2 refused'
    prints '^  other +[^ ]*:[0-9]+ +multimem'
    prints '^  third +[^ ]*:[0-9]+ +.*frobnicate'
    prints '^  multimem +not there +1 +refused +addresses'
    prints '^  frobnicate +not there +1 +refused +there is no'
    prints '^  cudaGraphicsMapResources +runtime +1 +refused +graphics'
    prints "^  cudaEventElapsedTime +runtime +1 +approximate +the time is"
}
expect_refused ./vectors

# With the runtime linked in, calls are found where the code makes them.
nm -u vectors.o | sed -nE 's/^ +U (_*cuda.*)/\1/p' | sort -u |
    sed 's/.*/int &(void) { return 0; }/' >runtime.c
echo 'int cudaGraphicsGLRegisterBuffer(void) { return 0; } int cudaImportExternalMemory(void) { return cudaGraphicsGLRegisterBuffer(); }' >>runtime.c
cc -O0 -c -o runtime.o runtime.c && g++ -o alone vectors.o runtime.o || complain 'no program with the runtime in it'
expect_refused ./alone
grep -q cudaGraphicsGLRegisterBuffer "$work/log/out" && complain "a call of the runtime's own is taken for the program's"

# What is no program, and one without kernels.
refuses 'there is no program' run --dry -- ./nothing
refuses 'bash has no kernels of CUDA in it' run --dry -- "$(command -v bash)"
refuses 'dry' run --dry --races -- ./vectors
head -c 3000 alone >cut && chmod +x cut
"$heddle" run --dry -- ./cut >"$work/log/out" 2>"$work/log/err"
[ $? -eq 2 ] || complain 'a program that is cut off is not refused'
finish
