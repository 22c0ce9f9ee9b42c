# Kernel files that cannot be used.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"
mkdir new

cat >broken.cl <<'END'
__kernel void scale(__global float *a) {
    a[get_global_id(0)] *= factor;
}
END
for command in "show --ir" "advise --accesses" "apply --layout soa --out new" "measure --layout soa" "advise" "advise --costs"; do
    # shellcheck disable=SC2086
    {
        refuses "^broken.cl:2:[0-9]+: error: .*factor" $command broken.cl
        refuses "missing.cl.*error: " $command missing.cl
        refuses "body.txt.*error: neither a kernel file" $command body.txt
    }
done
grep -q '^ *^$' "$work/log/err" && complain "a caret without a line"
call show --ir broken.cl
grep -q '^        a\[get_global_id(0)\] \*= factor;$' "$work/log/err" ||
    complain "the message does not show the line"
grep -Eq '^ +\^$' "$work/log/err" || complain "the message has no caret"

refuses "no kernel 'pull' here; there is: push" show --ir --entry pull body.cl
refuses "error: .*pull.*push" advise --accesses --entry pull body.cl
refuses "error: .*pull.*push" measure --layout soa --entry pull body.cl
refuses "error: .*speed" advise --accesses --arg speed=1 body.cl

echo 'int helper(int x) { return x; }' >none.cl
refuses "none.cl.*error: .*kernel" advise --accesses none.cl
: >empty.cl
refuses "empty.cl.*error: .*kernel" advise --accesses empty.cl
cat >image.cl <<'END'
__kernel void copy(__read_only image2d_msaa_t from, __global float4 *to) {
    to[get_global_id(0)] = 0;
}
END
refuses "^image.cl:[0-9]+:[0-9]+: error: " advise --accesses image.cl

cat >pair.cl <<'END'
typedef struct { int first, count; } row;
typedef struct { float value; int column; } entry;
__kernel void sum(__global const row *rows, __global const entry *entries, __global float *out) {
    int i = get_global_id(0);
    out[i] = entries[rows[i].first].value;
}
END
accepts advise --accesses pair.cl --global 010 --local 10
prints '^sum .*: global 10, local 10'
prints ' 5  load   rows\.first '
prints ' 5  load   entries\.value .*indirect through rows'
accepts advise pair.cl
prints '^row: Verdict'
prints '^entry: Verdict'
accepts advise --costs pair.cl --record entry
echo '__kernel void none(__global float *a) { a[get_global_id(0)] = 1; }' >plain.cl
refuses "no record to lay out: no buffer of this kernel holds structs" \
    apply plain.cl --layout soa --out new

# The folder's name goes to the device's compiler, in which some signs mean something.
for folder in "a b" "it's" 'say "so"'; do
    mkdir "$folder"
    cp body.cl "$folder"
    accepts measure "$folder/body.cl" --layout soa --global 256 --repeats 1
done

accepts show --ir body.cl
prints 'push'
accepts show --ir body.cl --entry push
accepts advise --accesses body.cl
prints '^push \(body.cl:6\): global 65536, local 256'
prints ' 8  load   bodies\.y +4 '
prints ' 8  store  bodies\.x +4 '
accepts advise --accesses body.yaml
prints '^push \(body.cl:6\): global 256, local 64'
awk 'length > 80 { exit 1 }' "$work/log/out" || complain "the table is too wide"
accepts advise --accesses body.cl --options "-DUNUSED=1 -cl-std=CL1.2"
finish
