# Memory that is refused: one message and exit status 2, never a signal.
source "$(dirname "$0")/lib.sh"

# A sanitized program needs more than any limit.
(ulimit -v 1000000 && "$heddle" --version) >"$work/log/out" 2>&1 || {
    echo "this program does not run within a limit"
    exit 0
}

# within MEGABYTES ARGUMENTS: exit status 2, and one error, of memory.
within() {
    local limit=$1
    shift
    (
        ulimit -v $((limit * 1000))
        exec "$heddle" "$@"
    ) >"$work/log/out" 2>"$work/log/err" </dev/null
    status=$?
    [ $status -eq 2 ] || complain "heddle $* within $limit MB: exit status $status, not 2"
    [ "$(grep -c 'error: ' "$work/log/err")" -eq 1 ] || complain "heddle $*: not one message"
}

cat >large.cl <<'END'
__kernel void k(__global int *a) { a[get_global_id(0)] = 1; }
END
cat >large.yaml <<'END'
kernel: large.cl
buffers: [{name: a, type: int, count: 1000000000, init: [{generator: iota}]}]
launches: [{kernel: k, global: [1024], args: [{name: a, buffer: a}]}]
END
within 2000 run large.yaml
within 2000 trace large.yaml -o large.hdt
[ ! -e large.hdt ] || complain "a trace was left"
truncate -s 3G large.text
within 1000 trace import large.text -o large.hdt
grep -q '^heddle: error: out of memory: 322[0-9]* bytes refused; ' "$work/log/err" ||
    complain "does not say how much was refused"

# In the compiler: each helper calls the next twice, and all are inlined.
{
    echo "float f0(float x) { return x * 1.5f + sin(x); }"
    for i in $(seq 24); do
        echo "float f$i(float x) { return f$((i - 1))(x + $i) * f$((i - 1))(x - $i); }"
    done
    echo "__kernel void k(__global float *a) { a[get_global_id(0)] = f24(a[get_global_id(0)]); }"
} >deep.cl
within 700 show --ir deep.cl
finish
