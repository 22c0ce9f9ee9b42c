# Layouts that are none: one message at the place in the notation, and no file.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"
mkdir new

# ../layout/test_layout.c has more of them; every command reads them alike, of jobs and of kernels.
refuses "layout.*:1:[0-9]+: error: .*z" apply --out new body.yaml --layout '{x,y}{z}'
refuses "error: .*tag" apply --out new body.yaml --layout '{x,y}'
refuses "error: .*x" apply --out new body.yaml --layout '{x,y}{x,tag}'
refuses "error: " apply --out new body.yaml --layout '{x,y}{tag}:3'
refuses "error: " apply --out new body.yaml --layout '{x,y'
refuses "error: " apply --out new body.yaml --layout 'sao'
refuses "error: " apply --out new body.yaml --layout ''
refuses "layout.*:1:[0-9]+: error: .*z" apply --out new body.cl --layout '{x,y}{z}'
for input in body.yaml body.cl; do
    for command in measure "advise --costs"; do
        # shellcheck disable=SC2086
        refuses "layout.*:1:[0-9]+: error: .*z" $command $input --layout '{x,y}{z}'
    done
done

cat >plain.cl <<'END'
__kernel void scale(__global float *a) { a[get_global_id(0)] *= 2; }
END
refuses "plain.cl.*error: .*no buffer of this kernel holds structs" apply --out new --layout soa plain.cl
refuses "record.*no_such|no_such.*record" apply --out new --layout soa --record no_such body.cl
finish
