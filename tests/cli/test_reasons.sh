#!/bin/bash
# What is said of indices that are no affine form.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

# Read from a table at an index that all lanes share, the same with what they don't share beside
# it, read from memory by each lane, and a remainder of either kind.
cat >tables.cl <<'END'
struct r { float x, y, z, w; };
__constant int table[4] = {3, 1, 2, 0};
__kernel void f(__global struct r *p, __global const int *g, __global float *out) {
    int i = get_global_id(0);
    float s = 0;
    for (int k = 0; k < 4; k++) {
        s += p[table[k]].x;
        s += p[3 * i + g[k] + 2].y;
        s += p[(7 * k) % 5].z;
    }
    s += p[2 * g[i] + i].x;
    s += p[(i + 3) % 1000].w;
    out[i] = s;
}
END
accepts advise --as-written --accesses tables.cl --global 1024 --local 64
in_one_line -E ' 7 load p\.x 4 4 uniform in a block: read from table at line 7 2 8 load g'
in_one_line -E ' 8 load p\.y 4 4 uniform in a block: read from g at line 8: 192\*group\(0\) \+ 3\*local\(0\) \+ %[0-9]+ \+ 2 '
in_one_line -E ' 9 load p\.z 4 4 uniform in a block: depends on the srem at line 9, which is not affine '
in_one_line -E ' 11 load p\.x 4 indirect through g at line 11: 64\*group\(0\) \+ local\(0\) \+ 2\*%[0-9]+ '
in_one_line -E ' 12 load p\.w 4 depends on the srem at line 12, which is not affine '
accepts advise --as-written --accesses tables.cl --global 1024 --local 64 --json
python3 - "$work/log/out" <<'END' || complain "'uniform' is not what it should be"
import json, sys
rows = json.load(open(sys.argv[1]))["kernels"][0]["accesses"]
said = {r["place"]["line"]: r["uniform"] for r in rows if r["buffer"] == "p"}
sys.exit(said != {7: True, 8: True, 9: True, 11: False, 12: False})
END

# A pointer that may be one of two is not one that was read from memory, as the second is.
cat >pointers.cl <<'END'
struct r { float x, y; };
struct s { __global struct r *next; };
__kernel void either(__global const struct r *a, __global const struct r *b,
                     __global const int *off, __global float *out, int c) {
    int i = get_global_id(0);
    __global const struct r *p = c ? &a[off[0]] : &b[off[1]];
    out[i] = p[i].x;
}
__kernel void loaded(__global const struct s *s, __global float *out) {
    out[get_global_id(0)] = s[0].next[get_global_id(0)].x;
}
END
accepts advise --as-written --accesses pointers.cl --entry either
in_one_line -E ' 7 load \(unknown\) 4 the pointer may point into more than one buffer '
accepts advise --as-written --accesses pointers.cl --entry loaded
in_one_line -E ' 10 load \(unknown\) 4 the pointer was loaded: .*read from s at line 10 '

# A struct by value is the same for all lanes, and so is a counter after a branch on the local id.
cat >same.cl <<'END'
struct r { float x, y; };
struct args { int n, first; };
__kernel void given(__global const struct r *p, __global float *out, struct args a) {
    float s = 0;
    for (int j = 0; j < a.n; j++)
        s += p[a.first + j].x;
    out[get_global_id(0)] = s;
}
__kernel void branch(__global const struct r *p, __global float *out, __local float *t, int n) {
    int l = get_local_id(0);
    float s = 0;
    if (l < 16)
        t[l] = p[l].y;
    for (int j = 0; j < n; j++)
        s += p[j * j].x;
    out[get_global_id(0)] = s + t[l & 15];
}
END
one_transaction() {
    accepts advise --costs same.cl --entry "$1" --global 65536 --local 256 --layout aos --arg "$2"
    prints "^ +$3  load p\.x +205k +1 "
}
one_transaction given a=100,7 6
one_transaction branch n=100 15
finish
