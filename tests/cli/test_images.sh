# Images that are counted as arrays: every command says so, and no device runs them.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

cat >draw.cl <<'END'
typedef struct { float x, y, size; int kind; } spot;
const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void draw(global spot *p, read_only image2d_t in, write_only image2d_t out) {
    int i = get_global_id(0);
    float4 c = read_imagef(in, nearest, (int2)(i % 64, i / 64));
    p[i].size = p[i].x + c.x;
    write_imagef(out, (int2)(i % 64, i / 64), c * p[i].y);
}
END
cat >draw.yaml <<'END'
kernel: draw.cl
options: --images-as-arrays=64x32 -cl-std=CL1.2
record: spot
buffers:
  - {name: p, type: spot, count: 2048}
  - {name: in, type: float4, count: 2048}
  - {name: out, type: float4, count: 2048}
launches:
  - kernel: draw
    global: [2048]
    local: [64]
    args:
      - {name: p, buffer: p}
      - {name: in, buffer: in}
      - {name: out, buffer: out}
END
said='^draw.cl:3:13: warning: images of draw \(in, out\) are counted as arrays of 64x32 elements'

# says ARGUMENTS: it works, and says what is counted.
says() {
    call "$@"
    [ "$status" -eq 0 ] || complain "heddle $*: exit status $status, not 0"
    grep -Eq "$said" "$work/log/err" || complain "heddle $*: does not say that images are counted"
}

says advise --accesses draw.yaml
prints '^ +0 +5 +load +in +16 '
prints '^ +4 +7 +store +out +16 '
says advise --accesses --json draw.yaml
says run draw.yaml
says advise draw.yaml
says run --layout soa draw.yaml
says apply --layout soa --out soa draw.yaml
grep -q 'read_imagef(in, nearest' soa/draw.cl || complain "the images are rewritten: $(cat soa/draw.cl)"

refuses '^draw.cl:3:[0-9]+: error: images are not supported; .*--images-as-arrays=WIDTHxHEIGHT' \
    advise --accesses draw.cl
refuses 'error: --images-as-arrays=64: expected the width and height' \
    advise --accesses --options=--images-as-arrays=64 draw.cl
refuses 'error: --images-as-arrays=64x0: expected' advise --accesses --options=--images-as-arrays=64x0 draw.cl
refuses 'error: --images-as-arrays=64x2x2x2: expected' \
    advise --accesses --options=--images-as-arrays=64x2x2x2 draw.cl
call measure --layout soa draw.yaml
grep -q 'images are counted as arrays, for analysis only, and no device' "$work/log/err" ||
    grep -q 'no OpenCL' "$work/log/err" || complain "measure does not refuse images"

finish
