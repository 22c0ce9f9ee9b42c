# Images and samplers in jobs: every command takes them, devices run them, and their errors stand where they
# are.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

cat >draw.cl <<'END'
typedef struct { float x, y, size; int kind; } spot;
const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void draw(global spot *p, read_only image2d_t in, write_only image2d_t out, sampler_t s) {
    int i = get_global_id(0);
    float4 c = read_imagef(in, nearest, (int2)(i % 64, i / 64));
    p[i].size = p[i].x + c.x + read_imagef(in, s, (float2)(0.5f, 0.5f)).w;
    write_imagef(out, (int2)(i % 64, i / 64), c * p[i].y);
}
END
cat >good.yaml <<'END'
kernel: draw.cl
options: -cl-std=CL1.2
record: spot
buffers:
  - {name: p, type: spot, count: 2048, init: [{field: y, generator: constant, low: 0.5}]}
  - {name: photo, image: {width: 64, height: 32, channels: rgba, type: unorm8}, init: [{generator: constant, low: 100}]}
  - {name: drawn, image: {width: 64, height: 32, channels: bgra, type: unorm8}}
launches:
  - kernel: draw
    global: [2048]
    local: [64]
    args:
      - {name: p, buffer: p}
      - {name: in, buffer: photo}
      - {name: out, buffer: drawn}
      - {name: s, sampler: {address: repeat, filter: linear, normalized: true}}
END

# works ARGUMENTS: without a word about images.
works() {
    call "$@"
    [ "$status" -eq 0 ] || complain "heddle $*: exit status $status, not 0"
    grep -qi 'image' "$work/log/err" && complain "heddle $*: a message about images"
}

# An access is of a texel, in the line of the call; nothing of what is known of an image is one.
works advise --accesses --as-written good.yaml
prints '^ +0 +5 +load +in +4 '
prints '^ +[0-9]+ +6 +load +in +4 +4 '
prints '^ +[0-9]+ +7 +store +out +4 '
[ "$(grep -cE '^ +[0-9]+ +[0-9]+ +(load|store)' "$work/log/out")" -eq 6 ] || complain "other accesses"
works advise --accesses --json good.yaml
works run --dump drawn=drawn.bin good.yaml
[ "$(od -An -tu1 -N8 drawn.bin | tr -s ' ')" = ' 50 50 50 50 50 50 50 50' ] ||
    complain "half of 100 is written as $(od -An -tu1 -N8 drawn.bin)"
works cache good.yaml
prints '^ +5 +load +photo '
works show good.yaml
prints '  7  +write_imagef\(out'
works advise good.yaml
works run --layout soa good.yaml
works apply --layout soa --out soa good.yaml
grep -q 'read_imagef(in, nearest' soa/draw.cl || complain "the images are rewritten: $(cat soa/draw.cl)"

# Channels of another kind than a function reads are a warning where the job says them, and not in what
# its format leaves out of the kernel.
cat >kinds.cl <<'END'
kernel void k(read_only image2d_t in, write_only image2d_t out) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagei(out, at, convert_int4(read_imagef(in, at)));
    if (get_image_channel_data_type(in) == CLK_FLOAT)
        write_imagef(out, at, read_imagef(in, at));
}
END
cat >kinds.yaml <<'END'
kernel: kinds.cl
buffers:
  - {name: in, image: {width: 8, height: 4, channels: r, type: uint8}}
  - {name: out, image: {width: 8, height: 4, channels: r, type: float}}
launches: [{kernel: k, global: [8, 4], args: [{name: in, buffer: in}, {name: out, buffer: out}]}]
END
call run kinds.yaml
says "^kinds.cl:3:[0-9]+: warning: the channels of image 'in' are uint8, and read_imagef .*; call read_imageui" \
    "^kinds.cl:3:5: warning: the channels of image 'out' are float, and write_imagei .*; call write_imagef"
[ "$(grep -c warning "$work/log/err")" -eq 2 ] || complain 'other warnings'

# The kernel as kir is for the format that it was made for.
call show --ir good.yaml
cp "$work/log/out" draw.kir
grep -q 'const image rgba unorm8$' draw.kir || complain "no image in $(grep param draw.kir)"
sed '/^options/d; s/draw.cl/draw.kir/' good.yaml >kir.yaml
works run --dump drawn=kir.bin kir.yaml
cmp -s drawn.bin kir.bin || complain 'kir of the kernel leaves something else'
sed 's/image: {width: 64, height: 32, channels: rgba, type: unorm8}/image: {width: 64, height: 32, channels: rgba, type: snorm8}/' kir.yaml >other.yaml
refuses "error: kernel 'draw' was compiled for an image 'in' with channels rgba of type unorm8, but 'photo' has" \
    run other.yaml

# Several formats in one job: the kernel is one for all.
{ sed '/^launches/,$d' good.yaml
  echo '  - {name: wide, image: {width: 64, height: 32, channels: r, type: float}, init: [{generator: constant, low: 0.75}]}'
  sed -n '/^launches/,$p' good.yaml
  sed -n '/^  - kernel/,$p' good.yaml | sed 's/buffer: photo/buffer: wide/'; } >two.yaml
works run --dump drawn=drawn.bin two.yaml
[ "$(od -An -tu1 -N8 drawn.bin | tr -s ' ')" = ' 0 0 96 128 0 0 96 128' ] ||
    complain "half of 0.75 is written as $(od -An -tu1 -N8 drawn.bin)"

# Without a job sizes and channels are made up, and that is said.
call advise --accesses draw.cl
says '^draw.cl: warning: sizes and channels of images \(in, out\) are made up'
call init --out written.yaml draw.cl
grep -qE 'image: \{width: [0-9]+, height: [0-9]+, channels: rgba, type: float\}' written.yaml ||
    complain "init has no image: $(cat written.yaml)"
grep -q 'name: s, sampler: {address: clamp_to_edge, filter: nearest, normalized: false}' written.yaml ||
    complain "init has no sampler: $(cat written.yaml)"
works run written.yaml

# bad SED MESSAGE: the job, changed so, is refused at its place.
bad() {
    sed "$1" good.yaml >bad.yaml
    cmp -s good.yaml bad.yaml && complain "the job is as it was: $1"
    refuses "$2" run bad.yaml
}
bad 's/channels: rgba/channels: rgbx9/' '^bad.yaml:6:[0-9]+: error: unknown channels .rgbx9.; there are: r, a, rg'
bad 's/type: unorm8}, init/type: unorm9}, init/' '^bad.yaml:6:[0-9]+: error: unknown type .unorm9. of channels; there are: snorm8'
bad 's/channels: rgba, type: unorm8/channels: rgb, type: float/' \
    '^bad.yaml:6:[0-9]+: error: OpenCL has no image with channels rgb of type float'
bad 's/width: 64, height: 32, channels: rgba/height: 32, channels: rgba/' "error: the key 'width'.* is missing"
bad 's/width: 64, height: 32, channels: rgba/width: 0, height: 32, channels: rgba/' "error: 'width: 0' is not a whole number from 1 on"
bad 's/width: 64, height: 32, channels: rgba/width: 64, depth: 4, channels: rgba/' "error: 'depth' is of a 3-D image"
bad 's/width: 64, height: 32, channels: rgba/width: 64, channels: rgba/' \
    "^bad.yaml:14:[0-9]+: error: parameter 'in' of kernel 'draw' is a 2-D image .*, but 'photo' is a 1-D image"
bad 's/width: 64, height: 32, channels: rgba/width: 64, height: 32, layers: 2, channels: rgba/' \
    "error: parameter 'in' of kernel 'draw' is a 2-D image .*, but 'photo' is a 2-D image with layers"
bad 's/width: 64, height: 32, channels: rgba/width: 1000000000, height: 1000000000, depth: 1000000000, channels: rgba/' \
    'error: an image of this size is beyond any device'
bad 's/name: photo, image: .*/name: photo, type: float4, count: 2048}/' \
    "^bad.yaml:14:[0-9]+: error: parameter 'in' of kernel 'draw' is an image .*, but 'photo' is a buffer"
bad 's/name: p, buffer: p}/name: p, buffer: photo}/' \
    "^bad.yaml:13:[0-9]+: error: parameter 'p' of kernel 'draw' points to a buffer .*, but 'photo' is an image"
bad 's/name: photo, image/name: photo, type: float4, image/' "error: buffer 'photo' has 'image' beside 'type' or 'count'"
bad 's/sampler: .*/value: 3}/' "error: parameter 's' of kernel 'draw' is a sampler; give it"
bad 's/buffer: photo}/value: 3}/' "^bad.yaml:14:[0-9]+: error: parameter 'in'.*; give it 'buffer'"
bad 's/name: p, buffer: p}/name: p, sampler: {filter: linear}}/' "^bad.yaml:13:[0-9]+: error: parameter 'p'"
bad 's/address: repeat/address: wrap/' \
    "error: 'address: wrap' of a sampler is none of: none, clamp_to_edge, clamp, repeat, mirrored_repeat"
bad 's/, normalized: true//' "error: a sampler with 'address: repeat' has 'normalized: true'"
bad 's/- {name: s, sampler.*//' "error: the launch of 'draw' does not give its parameter 's' .*sampler: ..."
bad 's/- {name: s, \(.*\)/- {name: s, \1\n      - {name: in.width, value: 3}/' "error: 'in.width' comes from the image itself"
bad 's/buffer: photo}/buffer: photo, offset: 4}/' "error: argument 'in' is an image, which takes no 'offset'"
bad 's/^launches:/arrays: [{record: both, fields: [photo, drawn]}]\nlaunches:/' "error: 'photo' is an image, which is no field"
printf '%s' 'short' >few.bin
bad 's/type: unorm8}, init: .*/type: unorm8}, file: few.bin}/' "error: buffer 'photo' takes 8192 bytes .*, its file .*few.bin has 5"

# A device has real images: every kind, with and without a sampler; the machine leaves what it does.
cat >all.cl <<'END'
kernel void all_kinds(read_only image1d_t a, image1d_buffer_t b, read_only image1d_array_t c,
                      read_only image2d_array_t d, read_only image3d_t e, sampler_t s,
                      write_only image2d_array_t out, write_only image1d_buffer_t line) {
    int i = get_global_id(0);
    float4 v = read_imagef(a, s, (float)i) + read_imagef(b, i % 4) + read_imagef(c, s, (float2)(i, 1)) +
               read_imagef(d, s, (float4)(i, 1, 1, 0)) + read_imagef(e, s, (float4)(i, 2, 1, 0));
    write_imagef(out, (int4)(i % 5, i / 5, 1, 0), v / 5);
    write_imagef(line, i, v);
}
END
cat >all.yaml <<'END'
kernel: all.cl
buffers:
  - {name: a, image: {width: 9, channels: rgba, type: unorm8}, init: [{generator: uniform, low: 0, high: 255}]}
  - {name: b, image: {width: 4, channels: rgba, type: float}, init: [{generator: uniform, low: 0, high: 1}]}
  - {name: c, image: {width: 9, layers: 3, channels: rgba, type: snorm8}, init: [{generator: uniform, low: -127, high: 127}]}
  - {name: d, image: {width: 9, height: 3, layers: 3, channels: argb, type: unorm8}, init: [{generator: uniform, low: 0, high: 255}]}
  - {name: e, image: {width: 9, height: 3, depth: 3, channels: rgba, type: half}, init: [{generator: uniform, low: 0, high: 1}]}
  - {name: out, image: {width: 5, height: 2, layers: 2, channels: rgba, type: unorm16}}
  - {name: line, image: {width: 10, channels: rgba, type: float}}
launches:
  - set: {buffer: a, element: 3, value: 77}
  - kernel: all_kinds
    global: [10]
    local: [10]
    args: [{name: a, buffer: a}, {name: b, buffer: b}, {name: c, buffer: c}, {name: d, buffer: d}, {name: e, buffer: e},
           {name: out, buffer: out}, {name: line, buffer: line}, {name: s, sampler: {address: clamp}}]
  - copy: {from: line, to: line_2}
tolerance: {relative: 1e-5, absolute: 2e-5}
END
sed -i 's/^launches:/  - {name: line_2, image: {width: 10, channels: rgba, type: float}}\nlaunches:/' all.yaml
works run --check opencl all.yaml
prints '^Equal to the reference: yes, within the job.s tolerance'
sed 's/address: clamp/address: clamp_to_edge/' all.yaml >edge.yaml
works run --check opencl edge.yaml
prints '^Equal to the reference: yes, within'
works run --dump line=one.bin all.yaml
works run --dump line=other.bin edge.yaml
cmp -s one.bin other.bin && complain 'both samplers leave the same'
echo 'tolerance: {absolute: 0.004}' >>good.yaml
works measure --layout soa good.yaml
prints '^ *outputs equal: yes'
works run --check opencl good.yaml
prints '^Equal to the reference: yes'
sed '/tolerance/d' good.yaml >exact.yaml
sed -i 's/channels: bgra/channels: intensity/' good.yaml
call measure --layout soa good.yaml
says "^good.yaml:7:[0-9]+: error: cannot make an image of this format for buffer 'drawn' on "
sed 's/type: unorm8}, init/type: unorm8}, placement: host, init/' exact.yaml >host.yaml
call measure --layout soa host.yaml
says "^host.yaml:6:[0-9]+: error: image 'photo' lies in the device's memory; leave 'placement' out"

# A write outside of the image is a fault, at its line.
cat >outside.cl <<'END'
kernel void k(write_only image2d_t out) {
    write_imagef(out, (int2)(get_global_id(0), 4), (float4)(1));
}
END
cat >outside.yaml <<'END'
kernel: outside.cl
buffers: [{name: out, image: {width: 8, height: 4, channels: r, type: float}}]
launches: [{kernel: k, global: [8], args: [{name: out, buffer: out}]}]
END
call run outside.yaml
says '^outside.cl:2:5: error: store of 4 bytes .*out'

finish
