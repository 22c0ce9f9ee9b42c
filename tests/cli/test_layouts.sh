# Layouts that are none: one message at the place in the notation, and no file.
source "$(dirname "$0")/lib.sh"
mkdir new

for input in body.yaml body.cl; do
    for command in "apply --out new" "measure" "advise --costs"; do
        # shellcheck disable=SC2086
        {
            refuses "layout.*:1:[0-9]+: error: .*z" $command $input --layout '{x,y}{z}'
            refuses "error: .*tag" $command $input --layout '{x,y}'
            refuses "error: .*x" $command $input --layout '{x,y}{x,tag}'
            refuses "error: " $command $input --layout '{x,y}{tag}:3'
            refuses "error: " $command $input --layout '{x,y'
            refuses "error: " $command $input --layout 'sao'
            refuses "error: " $command $input --layout ''
        }
    done
done

cat >plain.cl <<'END'
__kernel void scale(__global float *a) { a[get_global_id(0)] *= 2; }
END
refuses "plain.cl.*error: .*no buffer of this kernel holds structs" apply --out new --layout soa plain.cl
refuses "record.*no_such|no_such.*record" apply --out new --layout soa --record no_such body.cl
finish
