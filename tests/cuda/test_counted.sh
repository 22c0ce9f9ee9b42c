# Of a program whose blocks take long some are counted and stand for all of them, but for --all; and
# how far a launch is stands on a terminal. Called with the path of heddle.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cuda/programs.sh"

cat >counted.c <<'END'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
typedef void *handle; /* of cuda.h */
int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(handle *, int);
int cuCtxSetCurrent(handle);
int cuModuleLoadData(handle *, const void *);
int cuModuleGetFunction(handle *, handle, const char *);
int cuMemAlloc_v2(unsigned long long *, size_t);
int cuCtxSynchronize(void);
int cuLaunchKernel(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   handle, void **, void **);
int cuLaunchCooperativeKernel(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                              unsigned, handle, void **);
/* gather: rounds + blockIdx.x % 4 times a load of a[(7 i + 129 k) % (1 << 18)], and a store to
 * a[(1 << 18) + i % (1 << 18)]. */
static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry gather(.param .u64 a, .param .u32 rounds) {\n"
    ".reg .pred %p; .reg .f32 %f<3>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [rounds];\n"
    "mov.u32 %r2, %ctaid.x; and.b32 %r3, %r2, 3; add.u32 %r1, %r1, %r3;\n"
    "mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.u32 %r5, %r2, %r4, %r5;\n"
    "mul.lo.u32 %r6, %r5, 7; mov.f32 %f1, 0f00000000;\n"
    "again: and.b32 %r7, %r6, 262143; mul.wide.u32 %rd2, %r7, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "ld.global.f32 %f2, [%rd3]; add.f32 %f1, %f1, %f2; add.u32 %r6, %r6, 129;\n"
    "sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra again;\n"
    "and.b32 %r7, %r5, 262143; mul.wide.u32 %rd2, %r7, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "st.global.f32 [%rd3+1048576], %f1; ret; }\n"
    ".visible .entry add(.param .u64 a, .param .u32 rounds) {\n"
    ".reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [rounds]; mov.u32 %r2, %tid.x;\n"
    "mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "again: ld.global.u32 %r3, [%rd3]; add.u32 %r3, %r3, 1; st.global.u32 [%rd3], %r3;\n"
    "sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra again; ret; }\n";
int main(int count, char **words) {
    handle context, module, gather, add;
    unsigned long long a;
    unsigned rounds = 60, most = 100000, more = 500;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
        cuModuleLoadData(&module, text) || cuModuleGetFunction(&gather, module, "gather") ||
        cuModuleGetFunction(&add, module, "add") || cuMemAlloc_v2(&a, 1 << 21))
        return 3;
    if (count > 1) { /* for hours; words[1] is to be a file with the number of the process */
        FILE *file = fopen(words[1], "w");
        fprintf(file, "%d\n", (int)getpid());
        fclose(file);
        return cuLaunchKernel(gather, 1 << 20, 1, 1, 256, 1, 1, 0, 0, (void *[]){&a, &most}, 0);
    }
    if (cuLaunchKernel(gather, 10000, 1, 1, 256, 1, 1, 0, 0, (void *[]){&a, &rounds}, 0))
        return 4;
    for (int i = 0; i < 800; i++)
        if (cuLaunchKernel(add, 1, 1, 1, 256, 1, 1, 0, 0, (void *[]){&a, &more}, 0))
            return 5;
    for (int i = 0; i < 3; i++)
        if (cuLaunchCooperativeKernel(add, 7, 1, 1, 256, 1, 1, 0, 0, (void *[]){&a, &rounds}))
            return 6;
    return cuCtxSynchronize();
}
END
cc -std=gnu17 -w -o counted counted.c "$libraries/libcuda.so.1" -Wl,-rpath-link,"$libraries" ||
    complain "counted.c cannot be built"

accepts run --json --all -- ./counted
fits run program
cp "$work/log/out" all.json
accepts run --json -- ./counted
fits run program
python3 - all.json "$work/log/out" <<'END' >"$work/log/fault" 2>&1 || complain "$(cat "$work/log/fault")"
import json, sys
exact, estimated = (json.load(open(path)) for path in sys.argv[1:])
wanted = {"gather": (1, 10000), "add": (803, 821)}
assert len(exact["kernels"]) == len(estimated["kernels"]) == 2
for one, other in zip(exact["kernels"], estimated["kernels"]):
    name = one["kernel"]
    for k in one, other:
        if (k["launches"], k["blocks"]) != wanted[name]:
            sys.exit(f"{name}: {k['launches']} launches of {k['blocks']} blocks")
    if one["blocks_counted"] != one["blocks"]:
        sys.exit(f"{name} --all: {one['blocks_counted']} of {one['blocks']} blocks are counted")
    if name == "gather" and not 16 < other["blocks_counted"] < other["blocks"]:
        sys.exit(f"{name}: {other['blocks_counted']} blocks are counted")
    for what in "requests", "transactions", "bytes_moved", "bytes_used":
        if abs(other[what] - one[what]) > 0.03 * one[what]:
            sys.exit(f"{name}: {other[what]} {what}, not about {one[what]}")
if len(exact["lines"]) != len(estimated["lines"]):
    sys.exit("there are other lines")
END

# The table says so.
estimates='blocks? were counted and stand for all of them'
accepts run -- ./counted
prints '^  kernel +launches +counted +'
prints "^[0-9.]+k? of 10.8k $estimates"
accepts run --all -- ./counted
prints '^  kernel +launches +transactions'
! grep -Eq "$estimates" "$work/log/out" || complain 'all are counted, and it says that some are'

# A launch that would take hours: until its progress is shown, or for three seconds.
if command -v script >/dev/null; then
    # on_terminal NAME WORDS...: heddle in the background, what is on its terminal in NAME
    on_terminal() {
        local name=$1
        shift
        script -qfc "'$heddle' $* -- ./counted $name-number" "$name" >/dev/null 2>&1 </dev/null &
    }
    number_of() {
        for _ in $(seq 200); do
            if [ -s "$1-number" ]; then break; fi
            sleep 0.1
        done
        cat "$1-number"
    }
    on_terminal shown run
    on_terminal quiet run --quiet
    on_terminal recorded record -o recording
    "$heddle" run -- ./counted piped-number >piped 2>&1 </dev/null &
    for name in shown recorded; do
        for _ in $(seq 200); do
            if grep -q 'of its blocks' "$name"; then break; fi
            sleep 0.1
        done
        grep -q $'\r\033\\[Kheddle: gather: launch 0, [0-9]*% of its blocks' "$name" ||
            complain "$name: no progress on a terminal: $(cat "$name")"
    done
    sleep 0.5
    for name in shown recorded quiet piped; do
        kill -TERM "$(number_of "$name")"
    done
    wait
    for name in shown recorded; do
        grep -q $'of its blocks[^\r]*\r\033\\[K[^\r]*warning:' "$name" ||
            complain "$name: the progress stays: $(cat "$name")"
    done
    for name in piped quiet; do
        ! grep -q 'of its blocks' "$name" || complain "$name: progress: $(cat "$name")"
        grep -q '^1 launch on ' "$name" || complain "$name: $(cat "$name")"
    done
fi
finish
