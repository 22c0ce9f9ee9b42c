# Programs of hosts/, in C and C++, whose kernels are in OpenCL C: what `heddle apply --host` makes of
# one is built with the compiler that builds the original, and prints on the machine's OpenCL device
# what the original prints. A sanitized build rewrites them, and that is all. Called with the path of
# heddle.
source "$(dirname "$0")/../cli/lib.sh"
hosts=$source_folder/tests/rewrite/hosts
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$work/pocl}

# build FOLDER NAME: the program that its files there are, by the file's language.
build() {
    local compiler=cc source=$1/$2.c
    [ -e "$source" ] || { compiler=c++ source=$1/$2.cpp; }
    "$compiler" -O1 -w -o "$1/$2" "$source" -lOpenCL -lm >"$work/log/out" 2>"$work/log/err" ||
        complain "$compiler refuses $source"
}

# output FOLDER NAME: runs it there; OUTPUT.
output() {
    (cd "$1" && "./$2") >"$1/$2.out" 2>"$work/log/err" || complain "$1/$2: exit status $?"
}

# host_of NAME
host_of() { ls "$hosts/$1".c "$hosts/$1".cpp 2>/dev/null; }

# in_layouts NAME LAYOUTS...: each a list of RECORD=LAYOUT.
in_layouts() {
    local name=$1 layouts one options number=0
    shift
    mkdir original-$name
    cp "$hosts"/* original-$name
    if [ -z "${HEDDLE_SANITIZED:-}" ]; then
        build original-$name "$name"
        output original-$name "$name"
        [ -s original-$name/$name.out ] || complain "$name prints nothing"
    fi
    for layouts in "$@"; do
        number=$((number + 1))
        options=(--record "${layouts%%=*}")
        for one in $layouts; do options+=(--layout "$one"); done
        accepts apply --no-verify "${options[@]}" --host "$(host_of "$name")" \
            --out "$name-$number" "$hosts/$name.cl"
        [ -z "${HEDDLE_SANITIZED:-}" ] || continue
        build "$name-$number" "$name"
        output "$name-$number" "$name"
        diff "original-$name/$name.out" "$name-$number/$name.out" >"$work/log/out" ||
            complain "$name in $layouts prints something else"
    done
}

in_layouts particles particle=soa particle=aosoa:32 'particle={x,y,z,_}{mass}{vx,vy,vz,cell}:16'
in_layouts wrappers 'Agent=soa Place=soa' 'Agent=aosoa:32 Place={x,y,radius}{visits}' \
    'Agent={x,y}{state,days,exposure}:8{group} Place=aosoa:4'
in_layouts mirror record=soa record=aosoa:32 'record={i,c}:4{d,s,v}:64' 'record={v}{c,i}{d,s}:2'
in_layouts lattice Site=soa Site=aosoa:32 'Site={f,solid}{rho,ux,uy}'

# What cannot be followed is told at its place, and nothing is written.
cat >k.cl <<'OPENCL'
typedef struct { float x; int n; } body;
kernel void move(global body *bodies, global float *out, int n) {
    int i = get_global_id(0);
    if (i < n)
        out[i] = bodies[i].x + bodies[i].n;
}
OPENCL
# host LINE...: a program with these lines where buffers are made and used.
host() {
    {
        printf '%s\n' '#include <CL/cl.h>' 'typedef struct { float x; int n; } body;' \
            'void elsewhere(cl_mem buffer);' \
            'void use(cl_context c, cl_command_queue q, cl_program p, int n, body *all) {' \
            '    cl_kernel k = clCreateKernel(p, "move", 0);' \
            '    cl_mem d = clCreateBuffer(c, CL_MEM_READ_WRITE, n * sizeof(body), 0, 0);' \
            '    cl_mem o = clCreateBuffer(c, CL_MEM_READ_WRITE, n * sizeof(float), 0, 0);' \
            '    clSetKernelArg(k, 0, sizeof d, &d);'
        printf '    %s\n' "$@"
        echo '}'
    } >host.c
}
# refused PATTERN LINE...
refused() {
    local pattern=$1
    shift
    host "$@"
    refuses "host.c:[0-9]+:[0-9]+: error: .*$pattern" apply --no-verify --layout soa \
        --host host.c --out new k.cl
}
host 'clSetKernelArg(k, 1, sizeof o, &o);' 'clReleaseMemObject(d);'
accepts apply --no-verify --layout soa --host host.c --out good k.cl
# Elements of an array are buffers of their own while all indices are constant.
host 'enum { OUT = 1 };' 'cl_mem bs[2] = {clCreateBuffer(c, 0, 16, 0, 0)};' \
    'bs[OUT] = clCreateBuffer(c, 0, 4, 0, 0);' 'clSetKernelArg(k, 0, sizeof(cl_mem), &bs[0]);' \
    'clSetKernelArg(k, OUT, sizeof(cl_mem), &bs[OUT]);' 'clReleaseMemObject(bs[n]);'
accepts apply --no-verify --layout soa --host host.c --out array k.cl
grep -q 'bs.2. = {heddle_create_body_buffer' array/host.c || complain 'bs[0] is not laid out'
grep -q 'bs.OUT. = clCreateBuffer' array/host.c || complain 'bs[OUT] is laid out'
refused "'bs' holds buffers of 'body' and others" 'cl_mem bs[2] = {d, o};' \
    'clSetKernelArg(k, 0, sizeof(cl_mem), &bs[n]);' 'clSetKernelArg(k, 1, sizeof(cl_mem), &bs[1]);'
refuses 'choose one without /da' apply --no-verify --layout '{x}{n}/da' --host host.c --out new k.cl
# What goes into a function, or a container, comes out by whatever way.
{
    printf '%s\n' '#include <vector>' '#include <utility>' '#include <CL/cl.h>' \
        'struct body { float x; int n; };' 'struct Held { cl_mem m; std::vector<cl_mem> all; };' \
        'static cl_mem pick(cl_mem a, cl_mem b, int w) { return w ? a : b; }' \
        'static void make(cl_context c, cl_mem *m, size_t s) { *m = clCreateBuffer(c, 0, s, 0, 0); }' \
        'static void keep(Held &h, cl_mem m) { h.m = m; }' \
        'void use(cl_context c, cl_command_queue q, cl_program p, int n, body *all) {' \
        '    cl_kernel k = clCreateKernel(p, "move", 0);' \
        '    Held h;' '    cl_mem a, b, o, w = clCreateBuffer(c, 0, 8 * n, 0, 0);' \
        '    make(c, &a, 8 * n);' '    make(c, &b, 8 * n);' '    make(c, &o, 4 * n);' \
        '    keep(h, w);' '    h.all.emplace_back(pick(a, h.m, n));' \
        '    for (cl_mem m : h.all)' '        clEnqueueFillBuffer(q, m, &n, 4, 0, 8, 0, 0, 0);' \
        '    cl_mem in = h.all.back();' '    clSetKernelArg(k, 0, sizeof in, &in);' \
        '    std::swap(a, b);' \
        '    clSetKernelArg(k, 1, sizeof o, &o);' '}'
} >host.cpp
accepts apply --no-verify --layout soa --host host.cpp --out ways k.cl
for line in 'make_body(c, &a' 'make_body(c, &b' 'make(c, &o' 'w = heddle_create_body_buffer' \
    'heddle_fill_body(q, m'; do
    grep -qF "$line" ways/host.cpp || complain "not in ways/host.cpp: $line"
done
refused 'may be a buffer of laid-out records' 'void *hidden = &d;' \
    'clSetKernelArg(k, n, sizeof d, hidden);'
refused 'which buffer this is cannot be followed' 'void *hidden = d;' \
    'clEnqueueReadBuffer(q, (cl_mem)hidden, 1, 0, 8, all, 0, 0, 0);'
refused 'clCreateSubBuffer.. is given a buffer of .body.*the whole buffer' \
    'clCreateSubBuffer(d, 0, CL_BUFFER_CREATE_TYPE_REGION, 0, 0);'
refused 'elsewhere.. is given a buffer of .body.*not known' 'elsewhere(d);'
refused 'which argument of the kernel this sets is not known' 'clSetKernelArg(k, n, sizeof o, &o);'
refused "'d' holds buffers of 'body' and others" 'clSetKernelArg(k, 1, sizeof d, &d);'
refused 'own array is the buffer' \
    'cl_mem e = clCreateBuffer(c, CL_MEM_USE_HOST_PTR, n * sizeof(body), all, 0);' \
    'clSetKernelArg(k, 0, sizeof e, &e);'
refused 'given buffers of .body. and of others' 'clEnqueueCopyBuffer(q, d, o, 0, 0, 8, 0, 0, 0);'
refused 'where this buffer or kernel comes from' \
    'cl_mem (*make)(int) = (cl_mem (*)(int))(size_t)n; d = (cl_mem)(make + 1);'
printf '#include <CL/cl.h>\nint main(void) { return 0; }\n' >host.c
refuses 'no buffer that this file makes' apply --no-verify --layout soa --host host.c --out new k.cl
refuses 'cannot|No such file' apply --no-verify --layout soa --host nowhere.c --out new k.cl

# Hosts in other languages, or by other bindings, can run as they are.
cat >host.py <<'PY'
import pyopencl as cl
d = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)
program.k(queue, (64,), None, d)
e = pyopencl.array.to_device(queue, bodies)
PY
call apply --no-verify --layout soa --host host.py --out new k.cl
[ "$status" -eq 2 ] || complain 'a host in Python is not refused'
for place in 2:8 4:20; do
    says "host.py:$place: error: a buffer of PyOpenCL's.*heddle apply --layout RECORD=LAYOUT -- PROGRAM"
done
if [ -e /usr/include/CL/opencl.hpp ]; then
    for declared in 'struct all { cl::Buffer d; };' 'int main() { cl::Buffer d; }'; do
        printf '%s\n' '#include <CL/opencl.hpp>' "$declared" >host.cpp
        refuses "host.cpp:2:14: error: 'd' is of OpenCL's C.. bindings.*-- PROGRAM" \
            apply --no-verify --layout soa --host host.cpp --out new k.cl
    done
    cat >host.cpp <<'CPP'
#include <CL/opencl.hpp>
#include <vector>
struct body { float x; int n; };
void upload(cl::CommandQueue &queue, cl::Buffer &to, const std::vector<body> &all) {
    queue.enqueueWriteBuffer(to, CL_TRUE, 0, all.size() * sizeof(body), all.data());
}
int main() {
    cl::Context context(CL_DEVICE_TYPE_DEFAULT);
    cl::CommandQueue queue(context);
    std::vector<body> all(64);
    auto one = cl::Buffer(context, all.begin(), all.end(), false);
    std::vector<cl::Buffer> some = {one};
    upload(queue, some[0], all);
}
CPP
    call apply --no-verify --layout soa --host host.cpp --out new k.cl
    [ "$status" -eq 2 ] || complain "a host with OpenCL's C++ bindings is not refused"
    for named in 11:5:one 12:5:some; do
        says "host.cpp:${named%:*}: error: '${named##*:}' is of OpenCL's C.. bindings.*use cl_mem.*-- PROGRAM"
    done
fi

finish
