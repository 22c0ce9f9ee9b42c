#!/bin/bash
# Which accesses are said to stay in a register over a loop: those whose line ends in "kept BUFFER N",
# over N loops, and no others.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

cat >kept.cl <<'END'
struct r { float x, y, z, w; };
__kernel void loads(__global const struct r *p, __global const struct r *q, __global float *out,
                    __global const int *off, int n) {
    int i = get_global_id(0);
    float s = 0;
    for (int j = 0; j < n; j++)
        s += p[j].x *
             q->x *                   // kept q 1
             q[i].y *                 // kept q 1
             q[off[i]].z;             // kept q 1, kept off 1
    for (int j = 0; j < 8; j++)
        for (int k = 0; k < 8; k++)
            s += q[i].x *             // kept q 2
                 q[j].y +             // kept q 1
                 q[k].z;
    for (int j = 0; j < 8; j++)
        for (int k = 0; k < n; k++)
            s += q[i].w;              // kept q 1
    for (int j = 0; j < n; j++)
        if (s > j)
            s += q[i].x;
    for (int j = 0; j < n; j++) {
        if (s > 100)
            break;
        s += q[i].x;
    }
    for (int j = 0; j < n; j++) {
        s += q[i].y;                  // kept q 1
        if (s > 200)
            break;
    }
    out[i] = s;
}
__kernel void stored(__global const struct r *p, __global float *out, int n) {
    int i = get_global_id(0);
    for (int j = 0; j < n; j++)
        out[i] += p[j].x;
    for (int j = 0; j < n; j++)
        out[i + j] = p[i].x;
}
__kernel void apart(__global const struct r *restrict p, __global float *restrict out,
                    __global float *other, int n) {
    int i = get_global_id(0);
    for (int j = 0; j < n; j++)
        out[i] += p[j].x;             // kept out 1
    for (int j = 0; j < n; j++) {
        out[2 * i] += p[j].x;         // kept out 1
        out[2 * i + 1] += p[j].x;     // kept out 1
    }
    for (int j = 0; j < n; j++) {
        out[i] += p[j].x;
        out[i + 1] += out[j];
    }
    for (int j = 0; j < n; j++) {
        other[j] = p[i].x;            // kept p 1
        out[i] += 1;                  // kept out 1
    }
    for (int j = 0; j < n; j++)
        if (p[j].x > 0)
            out[i] += 1;
    for (int j = 0; j < n; j++) {
        out[i] += 1;
        if (j & 1)
            out[i] = 0;
    }
}
__kernel void records(__global struct r *restrict p, __global const float *restrict in, int n) {
    int i = get_global_id(0);
    for (int j = 0; j < n; j++)
        p[i].x += in[j];              // kept p 1
    for (int j = 0; j < n; j++) {
        p[i].x += in[j];
        p[i].y += in[i];              // kept in 1
    }
    for (int j = 0; j < n; j++)
        p[i].x += p[j].y;
}
__kernel void waits(__global const float *restrict in, __global const float *also,
                    __global volatile float *v, __global int *count, __global float *out,
                    __local float *tile, int n) {
    int i = get_global_id(0), l = get_local_id(0);
    float s = 0;
    for (int j = 0; j < n; j++) {
        tile[l] = j;
        barrier(CLK_LOCAL_MEM_FENCE);
        s += in[i] +                  // kept in 1
             also[i] + tile[n - 1 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int j = 0; j < n; j++)
        s += v[i] + in[i] +           // kept in 1
             also[i];                 // kept also 1
    for (int j = 0; j < n; j++) {
        atomic_inc(&count[i]);
        s += also[i];
    }
    for (int j = 0; j < n; j++)
        s += sqrt(also[i]);           // kept also 1
    out[i] = s;
}
END
cat >check.py <<'END'
import json, re, sys
lines = open(sys.argv[2]).read().split("\n")
wrong = 0
for kernel in json.load(open(sys.argv[1]))["kernels"]:
    for a in kernel["accesses"]:
        line = lines[a["place"]["line"] - 1]
        said = re.search(r"\bkept %s ([0-9])" % a["buffer"], line)
        wanted, found, loop = int(said[1]) if said else 0, 0, a["loop"]
        while a["kept"] is not None and loop is not None:
            found += 1
            loop = None if loop == a["kept"] else kernel["loops"][loop]["parent"]
        if found != wanted:
            print(kernel["name"], line, a["buffer"], a["kind"], found, wanted)
            wrong = 1
sys.exit(wrong)
END
call advise --as-written --accesses kept.cl --global 1024 --local 64 --json
python3 check.py "$work/log/out" kept.cl >wrong || complain "$(cat wrong)"

# They cost what the first iteration does, and stores that restrict would spare say so.
accepts advise --as-written kept.cl --entry apart --global 65536 --local 256 --device h200 --loops 100
accepts advise --as-written --costs kept.cl --entry records --global 65536 --local 256 --arg n=50 --json
python3 - "$work/log/out" <<'END' || complain "the share that is kept is not 49 of 50"
import json, sys
def lines(x):
    if isinstance(x, dict):
        if "l1_hits" in x and x["access"]["place"]["line"] == 70:
            yield x
        x = list(x.values())
    for v in x if isinstance(x, list) else []:
        yield from lines(v)
found = [l for l in lines(json.load(open(sys.argv[1])))]
kept = [l for l in found if l["access"]["buffer"] == "p"]
sys.exit(not kept or any(abs(l["kept"] - 0.98) > 1e-9 or l["executions"] != 2048 * 50
                         or l["kept"] + l["l1_hits"] + l["l2_hits"] > 1 for l in kept))
END
accepts advise --as-written kept.cl --entry stored --global 65536 --local 256 --arg n=64
tr -s ' \n' '  ' <"$work/log/out" >rows
grep -q 'store out .*restrict pointers would keep it in a register' rows ||
    complain "no word of restrict: $(cat rows)"

# What stays in a register costs the same whatever else is laid out, and however.
cat >other.cl <<'END'
struct r { float x, y, z, w; };
struct q { float a, b, c, d, e; };
__kernel void f(__global const struct r *p, __global const struct q *q, __global float *out, int n) {
    int i = get_global_id(0);
    float s = 0;
    for (int j = 0; j < n; j++)
        s += p[j * get_global_size(0) + i].x * q[i].a * q->e;
    out[i] = s;
}
END
for record in r q; do
    accepts advise --as-written --costs other.cl --record $record --global 65536 --local 256 --arg n=64 \
        --device tesla-k20c --layout aos --layout soa --json
    cp "$work/log/out" $record.json
done
python3 - <<'END' || complain "the loads of q have not one cost each"
import json, sys
costs = {"a": [], "e": []}
for record in "r", "q":
    for layout in json.load(open(record + ".json"))["results"][0]["layouts"]:
        if record == "q" and layout["layout"]["notation"] != "aos":
            continue
        for line in layout["accesses"]:
            if line["access"]["buffer"] == "q":
                costs[line["access"]["field"]].append(line["cost"])
sys.exit(any(len(c) != 3 or c.count(c[0]) != 3 for c in costs.values()))
END
finish
