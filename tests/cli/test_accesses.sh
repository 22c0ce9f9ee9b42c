# heddle advise --accesses: how often loops run, against what the machine executes.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

cat >loops.cl <<'END'
#define HEAD (__global float *a, __global float *b, __global float *out, int n) { \
    int i = get_global_id(0); float s = 0
__kernel void break_in_the_middle HEAD;
    for (int j = 0; j < n; j++) {
        s += a[j];
        if (j == n - 1) break;
        s += b[j];
    }
    out[i] = s;
}
__kernel void break_at_the_end HEAD;
    for (int j = 0; ; j++) {
        s += a[j];
        if (j == n - 1) break;
    }
    out[i] = s;
}
__kernel void break_and_bound HEAD;
    for (int j = 0; j < n; j++) {
        s += a[j];
        if (j == n - 1) break;
    }
    out[i] = s;
}
__kernel void condition_reads HEAD;
    for (int j = 0; a[j] < 100 && j < n - 1; j++)
        s += b[j];
    out[i] = s;
}
__kernel void while_true HEAD;
    int j = 0;
    while (1) {
        s += a[j];
        if (j >= n) break;
        s += b[j++];
    }
    out[i] = s;
}
__kernel void do_while HEAD;
    int j = 0;
    do {
        s += a[j];
        if (j >= n - 5) break;
        s += b[j];
    } while (++j < n);
    out[i] = s;
}
__kernel void nested HEAD;
    for (int k = 0; ; k++) {
        s += b[k];
        for (int j = 0; ; j++) {
            s += a[j];
            if (j == 6) break;
            s += b[j];
        }
        if (k == n / 10) break;
    }
    out[i] = s;
}
__kernel void condition_in_front HEAD;
    for (int j = 0; ; j++) {
        if (a[j] < 100) s += b[j];
        if (j == n - 1) break;
    }
    out[i] = s;
}
END

# One work-item: the machine's accesses are the sum over the rows.
for n in 1 60; do
    for kernel in $(sed -n 's/^__kernel void \([a-z_]*\) .*/\1/p' loops.cl); do
        sizes=(--entry "$kernel" --global 1 -n 100 --arg n=$n)
        accepts advise --accesses --as-written loops.cl "${sizes[@]}"
        listed=$(awk '$3 ~ /^(load|store)$/ {
                          runs = 1
                          for (k = 6; $(k) ~ /^(<=)?[0-9]+$/ || $(k) == "*"; k++)
                              if (sub(/^(<=)?/, "", $(k)) && $(k) != "*" && k < NF) runs *= $(k)
                          sum += runs
                      }
                      END { print sum }' "$work/log/out")
        accepts run --as-written loops.cl "${sizes[@]}" --json
        executed=$(sed -n 's/.*"lane_accesses": \([0-9]*\).*/\1/p' "$work/log/out" | head -1)
        [ "$listed" = "$executed" ] ||
            complain "$kernel, n = $n: $listed accesses are listed, $executed are executed"
    done
done
accepts advise --accesses --as-written loops.cl --entry nested --global 1 -n 100 --arg n=60 --json
tr -d ' \n' <"$work/log/out" >"$work/log/joined"
grep -q '"runs":\[7,7\]' "$work/log/joined" || complain "no runs of 7 in both loops"
grep -q '"runs":\[7,6\]' "$work/log/joined" || complain "no runs of 7 and 6"
finish
