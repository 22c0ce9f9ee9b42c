# Arguments of types that are not plain numbers, with and without a job: vectors of CUDA by
# value, halves, and types with names of the kernel's own.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"
export CUDA_PATH= # Heddle's own headers, which are read faster

# holds FILE FORMAT WORDS: the first numbers of a dump, as od's FORMAT shows them.
holds() {
    local found
    found=$(od -An -v -t "$2" -N 16 "$1" | xargs)
    [ "$found" = "$3" ] || complain "$1 has $found, not $3"
}

# ---- vectors by value ------------------------------------------------------------------

cat >vector.cu <<'END'
typedef float4 vec;
struct part { double2 at; int n; };
__global__ void k(vec *out, longlong2 *big, const float4 c, float3 d, uchar4 e, longlong2 f,
                  double4 g, vec h, part p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i].x = c.x + 10 * c.w;
    out[i].y = d.z + e.w;
    out[i].z = g.y + h.z;
    out[i].w = p.at.y + p.n;
    big[i].y = f.x + f.y;
}
END
accepts run vector.cu --global 64 --arg c=1,2,3,4 --arg d=5,6,7 --arg e=255 \
    --arg 'f=5000000000, 1' --arg g=0.5,1.5,2,3 --arg h=4 --arg p=8,9,10 \
    --dump out=out.bin --dump big=big.bin
holds out.bin f4 "41 262 5.5 19"
[ "$(od -An -v -t d8 -j 8 -N 8 big.bin | xargs)" = 5000000001 ] || complain "big.bin"
accepts advise --accesses vector.cu --global 64
cat >vector.yaml <<'END'
kernel: vector.cu
buffers:
  - {name: o, type: float4, count: 64}
  - {name: b, type: longlong2, count: 64}
launches:
  - kernel: k
    blocks: [1]
    threads: [64]
    args:
      - {name: out, buffer: o}
      - {name: big, buffer: b}
      - {name: c, value: "1, 2, 3, 4"}
      - {name: d, value: "5, 6, 7"}
      - {name: e, value: 255}
      - {name: f, value: "5000000000, 1"}
      - {name: g, value: "0.5, 1.5, 2, 3"}
      - {name: h, value: 4}
      - {name: p, value: "8, 9, 10"}
END
accepts run vector.yaml --dump o=o.bin
holds o.bin f4 "41 262 5.5 19"
sed -i 's/"1, 2, 3, 4"/"1, 2, 3"/' vector.yaml
refuses "^vector.yaml:12:[0-9]+: error: argument 'c' of type const float4 takes 4 values" \
    run vector.yaml

cat >vector.cl <<'END'
typedef float4 vec;
__kernel void k(__global float4 *out, float4 c, vec d, uchar3 e) {
    out[get_global_id(0)] = c + 10.0f * d + convert_float4(e.xyzz);
}
END
accepts run vector.cl --global 64 --arg c=1,2,3,4 --arg d=1 --arg e=1,2,3 --dump out=out.bin
holds out.bin f4 "12 14 16 17"

# ---- halves ------------------------------------------------------------------------------

# What NVIDIA's header says of them; Heddle has none of its own.
cat >cuda_fp16.h <<'END'
struct __half { unsigned short __x; };
struct __half2 { __half x, y; };
typedef __half half;
typedef __half2 half2;
END
cat >half.cu <<'END'
#include "cuda_fp16.h"
__global__ void k(__half *a, const half2 *b, half c, __half2 d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i == 0 ? b[0].x : i == 1 ? c : d.y;
}
END
accepts run half.cu --global 64 --arg c=0.5 --arg d=1,-2 --dump a=a.bin --dump b=b.bin
cmp -s -n 2 a.bin b.bin || complain "a[0] is not b[0].x"
[ "$(od -An -v -t x2 -j 2 -N 4 a.bin | xargs)" = "3800 c000" ] || complain "a.bin: 0.5 and -2"
[ "$(od -An -v -t x2 b.bin | tr -s ' ' '\n' | grep -c '^3[0-9a-f]')" -gt 32 ] ||
    complain "b has no halves from 0 to 1"
cat >half.yaml <<'END'
kernel: half.cu
buffers:
  - {name: a, type: half, count: 64}
  - {name: b, type: half2, count: 64, init: [{generator: constant, low: 1.5}]}
launches:
  - kernel: k
    blocks: [1]
    threads: [64]
    args:
      - {name: a, buffer: a}
      - {name: b, buffer: b}
      - {name: c, value: 0.5}
      - {name: d, value: "1, -2"}
END
accepts run half.yaml --dump a=a.bin
[ "$(od -An -v -t x2 -N 6 a.bin | xargs)" = "3e00 3800 c000" ] || complain "a.bin of the job"
cat >half.cl <<'END'
__kernel void k(__global half *a, __global float *b) {
    int i = get_global_id(0);
    b[i] = vload_half(i, a);
    vstore_half(b[i] + 1, i, a);
}
END
accepts run half.cl --global 64 --dump a=a.bin --dump b=b.bin
[ "$(od -An -v -t f4 -w4 b.bin | awk '$1 > 0 && $1 < 1 && $1 > 1e-3' | wc -l)" -gt 32 ] ||
    complain "a had no halves from 0 to 1"

# ---- pointers to arrays, and names of instances ---------------------------------------------

cat >rows.cu <<'END'
template <class T, unsigned n, bool add>
__global__ void rows(T (*a)[n], T *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i / n][i % n] + add;
}
template __global__ void rows<float, 16, true>(float (*)[16], float *);
template __global__ void rows<int, 8, false>(int (*)[8], int *);
END
accepts run rows.cu --entry 'rows<float, 16U, true>' --global 64 --dump a=a.bin --dump out=out.bin
paste <(od -An -v -t f4 -w4 a.bin) <(od -An -v -t f4 -w4 out.bin) |
    awk '$2 - $1 < 0.999 || $2 - $1 > 1.001 { exit 1 }' || complain "rows: out is not a + 1"
accepts advise --accesses rows.cu --entry 'rows<int,8,false>' --global 64
prints '^rows<int, 8U, false> '
refuses "there is no kernel 'rows<int,16,false>'; there are: rows<float, 16U, true>, rows<int, 8U" \
    run rows.cu --entry 'rows<int,16,false>'

# ---- names of the kernel's own --------------------------------------------------------------

cat >named.cl <<'END'
typedef float real;
typedef real number;
typedef struct { number x; float y; } body;
typedef body thing;
__kernel void k(__global number *a, __global thing *b, number c) {
    int i = get_global_id(0);
    a[i] += c * b[i].x;
}
END
accepts run named.cl --global 64 --arg c=2 --dump a=a.bin
[ "$(od -An -v -t f4 -w4 a.bin | awk '$1 > 1e-3 && $1 < 3' | wc -l)" -gt 60 ] ||
    complain "a and b were not filled with reals"
finish
