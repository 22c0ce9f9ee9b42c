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
if [ -e /usr/include/CL/opencl.hpp ]; then
    in_layouts swarm Boid=soa 'Boid=aosoa:32 Wind=soa' \
        'Boid={position,velocity}{energy,flock}:16{colour}:4' Wind=aosoa:2
    in_layouts tracers tracer=soa tracer=aosoa:32 'tracer={pos,vel}{mass,cell}:16'
    in_layouts sand Grain=soa Grain=aosoa:32 'Grain={where,heat}{kind,age}:4{cell}:64'
    for name in swarm tracers sand; do # what is generated brings no warnings
        for compiler in g++ clang++; do
            command -v $compiler >"$work/log/out" || continue
            $compiler -fsyntax-only -std=c++14 -Wall -Wextra -Werror -Wno-unknown-warning-option \
                '-Wno-#pragma-messages' "$name-2/$name.cpp" 2>"$work/log/err" ||
                complain "$compiler warns of $name-2/$name.cpp"
        done
    done
fi

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
refused 'SVM.*use a buffer' \
    'clSetKernelArgSVMPointer(k, 1, clSVMAlloc(c, 0, 4, 0));'
refused 'where this buffer of laid-out records comes from' 'cl_mem other(void);' 'd = other();'
refused 'own array is the buffer' \
    'cl_mem e = clCreateBuffer(c, CL_MEM_USE_HOST_PTR, n * sizeof(body), all, 0);' \
    'clSetKernelArg(k, 0, sizeof e, &e);'
refused "holds buffers of 'body' and others" 'clSetKernelArg(k, 1, sizeof o, &o);' \
    'clEnqueueCopyBuffer(q, d, o, 0, 0, 8, 0, 0, 0);'
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

# OpenCL's bindings for C++.
if [ ! -e /usr/include/CL/opencl.hpp ]; then
    echo 'no CL/opencl.hpp: hosts with the bindings for C++ are left out'
    finish
    exit
fi
# bindings LINE...: a program with these lines where buffers are made and used.
bindings() {
    {
        printf '%s\n' '#define CL_HPP_TARGET_OPENCL_VERSION 200' '#include <CL/opencl.hpp>' \
            '#include <algorithm>' '#include <functional>' '#include <vector>' 'struct body { float x; int n; };' \
            'void elsewhere(cl::Buffer &buffer);' \
            'void use(cl::Context c, cl::CommandQueue q, cl::Program p, int n, body *all) {' \
            '    cl::Kernel k(p, "move");' \
            '    cl::Buffer d(c, CL_MEM_READ_WRITE, n * sizeof(body));' \
            '    cl::Buffer o(c, CL_MEM_READ_WRITE, n * sizeof(float));' '    k.setArg(0, d);'
        printf '    %s\n' "$@"
        echo '}'
    } >host.cpp
}
# becomes LINE EXPECTED: of a line of the program.
becomes() {
    bindings "$1"
    accepts apply --no-verify --layout soa --host host.cpp --out good k.cl
    grep -qF -- "$2" good/host.cpp || complain "$1 does not become $2"
    rm -r good
}
refused_bindings() {
    local pattern=$1
    shift
    bindings "$@"
    refuses "host.cpp:[0-9]+:[0-9]+: error: .*$pattern" apply --no-verify --layout soa \
        --host host.cpp --out new k.cl
}
becomes 'k.setArg(1, o); k.setArg(2, n);' \
    'heddle::set_arg(k, 1, o); heddle::set_arg(k, 2, n);'
becomes 'std::vector<cl::Buffer> v{d}; q.enqueueReadBuffer(v.at(0), CL_TRUE, 0, 8, all);' \
    'heddle::read_body(q, v.at(0), CL_TRUE, 0, 8, all);'
becomes 'cl::Buffer e; (&q)->enqueueCopyBuffer(d, e, 0, 0, 8); e = cl::Buffer(c, 0, 8, nullptr);' \
    'heddle::copy_body_buffer(*(&q), d, e, 0, 0, 8); e = heddle::create_body_buffer(c, 0, 8, nullptr);'
becomes 'auto e = std::make_shared<cl::Buffer>(c, 0, 8); k.setArg(0, *e);' \
    'std::make_shared<cl::Buffer>(heddle::create_body_buffer(c, 0, 8)); heddle::set_arg(k, 0, *e);'
becomes 'cl::compatibility::make_kernel<cl::Buffer, cl::Buffer, int> f(p, "move");' \
    'heddle::KernelFunctor<cl::Buffer, cl::Buffer, int> f(p, "move");'
becomes 'cl::Kernel s(p, "other"); s.setArg(0, o); q.enqueueWriteBuffer(o, CL_TRUE, 0, 4, all);' \
    'heddle::set_arg(s, 0, o); q.enqueueWriteBuffer(o, CL_TRUE, 0, 4, all);'
becomes 'cl::Buffer b[2] = {cl::Buffer(c, 0, 8), cl::Buffer(c, 0, 4)}; k.setArg(0, b[0]);' \
    'b[2] = {heddle::create_body_buffer(c, 0, 8), cl::Buffer(c, 0, 4)};'
becomes 'for (cl_uint i = 1; i < 3; i++) k.setArg(i, o);' 'i++) heddle::set_arg(k, i, o);'
becomes 'auto up = [&](cl::Buffer &to) { q.enqueueWriteBuffer(to, true, 0, 8, all); }; up(d);' \
    '{ heddle::write_body(q, to, true, 0, 8, all); }; up(d);'
becomes 'auto make = [&]() { return cl::Buffer(c, 0, 8); }; auto e = make(); k.setArg(0, e);' \
    'return heddle::create_body_buffer(c, 0, 8); };'
becomes 'std::pair<cl::Buffer, int> e{cl::Buffer(c, 0, 8), 1}; k.setArg(0, e.first);' \
    'e{heddle::create_body_buffer(c, 0, 8), 1}; heddle::set_arg(k, 0, e.first);'
becomes 'const char name[] = "pair"; cl::Kernel s(p, name); s.setArg(0, o);' 's(p, name);'
becomes 'struct own : cl::CommandQueue { void get(cl::Buffer &b) { enqueueFillBuffer(b, 0, 0, 8); } };
    own().get(d);' 'heddle::fill_body(*this, b, 0, 0, 8);'
refused_bindings 'createSubBuffer.. is given a buffer of .body.*the whole buffer' \
    'd.createSubBuffer(0, CL_BUFFER_CREATE_TYPE_REGION, nullptr);'
refused_bindings 'getInfo.. is given a buffer of .body.*keep the size' 'd.getInfo<CL_MEM_SIZE>();'
refused_bindings 'Image1DBuffer.. is given a buffer of .body.*not known' \
    'cl::Image1DBuffer i(c, 0, cl::ImageFormat(CL_R, CL_FLOAT), n, d);'
refused_bindings 'elsewhere.. is given a buffer of .body.*not known' 'elsewhere(d);'
refused_bindings 'given buffers of .body. and others|holds buffers of .body. and others' 'k.setArg(1, d);'
refused_bindings 'own array is the buffer' 'cl::Buffer e(c, all, all + n, false, true); k.setArg(0, e);'
refused_bindings 'own array is the buffer' \
    'd = cl::Buffer(c, CL_MEM_USE_HOST_PTR, n * sizeof(body), all);'
refused_bindings 'which argument of the kernel' 'k.setArg(n, o);'
refused_bindings 'SVM.*use a buffer' 'k.setArg(1, (float *)clSVMAlloc(c(), 0, 4, 0));'
refused_bindings 'SVM.*use a buffer' \
    'std::vector<float, cl::SVMAllocator<float, cl::SVMTraitCoarse<>>> s(n); k.setArg(1, s);'
refused_bindings 'buffer of laid-out records, and which one' 'cl::BufferGL g(c, 0, 1); k.setArg(0, g);'
refused_bindings "'to' holds buffers of 'body' and others" \
    'auto up = [&](cl::Buffer &to) { q.enqueueWriteBuffer(to, true, 0, 8, all); }; up(d);' 'up(o);' \
    'k.setArg(1, o);'
refused_bindings "where 'bind' keeps this buffer" \
    'cl::KernelFunctor<cl::Buffer> f(p, "move");' 'auto g = std::bind(f, std::placeholders::_1, d);'
refused_bindings 'where the buffers go that this makes' \
    'std::vector<cl::Buffer> v(2); v[0] = d; k.setArg(0, v[1]);' \
    'std::generate(v.begin(), v.end(), [&] { return cl::Buffer(c, 0, 8); });'
refused_bindings 'where this buffer of laid-out records comes from' 'cl::Buffer other();' 'd = other();'
refused_bindings 'where this buffer or kernel comes from' \
    'struct held { cl::Buffer b; operator cl::Buffer &() { return b; } } h{cl::Buffer(c, 0, 8)};' \
    'std::vector<cl::Buffer> v = {d, h}; k.setArg(0, v[1]);'
refused_bindings "'up' is given buffers of laid-out records here, and other ones elsewhere" \
    'struct up { up(cl::CommandQueue q, cl::Buffer b) { q.enqueueFillBuffer(b, 0, 0, 8); } };' \
    'up(q, d), up(q, o); k.setArg(1, o);'
refused_bindings 'enqueueReadBufferRect.. is given a buffer of .body' \
    'q.enqueueReadBufferRect(d, true, {}, {}, {8, 1, 1}, 0, 0, 0, 0, all);'
refused_bindings "where 'operator..' keeps this buffer" \
    'extern std::function<void(cl::Buffer)> f; f(d);'
refused_bindings 'where the buffer that the kernel is given comes from' \
    'cl::Buffer e; k.setArg(0, e);'
# templates LINE...: a program with these lines in front of what calls them.
templates() {
    {
        printf '%s\n' '#define CL_HPP_TARGET_OPENCL_VERSION 200' '#include "CL/opencl.hpp"' \
            '#include <vector>' 'struct body { float x; int n; };' 'cl::CommandQueue q;' \
            'template <class T> struct array {' '    cl::Buffer all;' \
            '    array(cl::Context c, size_t n) : all(c, 0, n * sizeof(T)) {}' \
            '    void read(T *to) { q.enqueueReadBuffer(all, true, 0, sizeof(T), to); }' '};' \
            'template <class T> cl::Buffer made(cl::Context c, const std::vector<T> &v) {' \
            '    cl::Buffer b(c, 0, v.size() * sizeof(T));' '    return b;' '}' \
            'template <class... T> void set(cl::Kernel &k, T &&...values) {' \
            '    cl_uint i = 0;' '    (k.setArg(i++, std::forward<T>(values)), ...);' '}' \
            'template <class T, class... U> void set_from(cl::Kernel &k, int i, T v, U... values) {' \
            '    k.setArg(i, v);' '    if constexpr (sizeof...(values) > 0)' \
            '        set_from(k, i + 1, values...);' '}' \
            'template <class F> void launch(F &f, cl::Buffer b) {' \
            '    f(cl::EnqueueArgs(q, cl::NDRange(8)), b);' '}' \
            'void use(cl::Context c, cl::Program p, std::vector<body> v, std::vector<float> f) {' \
            '    cl::Kernel k(p, "move");' '    cl::Buffer d = made(c, v), o = made(c, f);'
        printf '    %s\n' "$@"
        echo '}'
    } >host.cpp
}
templates 'array<body> e(c, 8);' 'set(k, e.all, o, 8);' 'e.read(v.data());' \
    'cl::KernelFunctor<cl::Buffer, cl::Buffer, int> g(p, "move");' \
    'g(cl::EnqueueArgs(q, cl::NDRange(8)), d, o, 8);'
mkdir CL # the bindings' header may be one of the program's
cp /usr/include/CL/opencl.hpp CL/opencl.hpp
accepts apply --no-verify --layout soa --host host.cpp --out own k.cl
rm -r CL
for line in ': all(heddle::create_body_buffer(c, 0, n * sizeof(T)))' \
    'heddle::read_body(q, all, true' 'b(heddle::create_body_buffer(c, 0, v.size() * sizeof(T)));' \
    '(heddle::set_arg(k, i++, std::forward<T>(values)), ...)' 'd = made_body(c, v), o = made(c, f)'; do
    grep -qF -- "$line" own/host.cpp || complain "not in own/host.cpp: $line"
done
cmp -s /usr/include/CL/opencl.hpp own/CL/opencl.hpp || complain "the bindings' header changes"
refused_template() {
    local pattern=$1
    shift
    templates "$@"
    refuses "host.cpp:[0-9]+:[0-9]+: error: .*$pattern" apply --no-verify --layout soa \
        --host host.cpp --out new k.cl
}
refused_template "'all' holds buffers of 'body' and others" 'array<body> e(c, 8);' \
    'array<float> g(c, 8);' 'set(k, e.all, g.all, 8);'
refused_template 'which buffer this is cannot be followed' \
    'auto up = [](auto &b, auto &v) { q.enqueueWriteBuffer(b, true, 0, 8, v.data()); };' 'up(d, v);' \
    'set(k, d, o, 8);'
refused_template "which buffer this is depends on a template's parameter" \
    'auto up = [](auto &b, auto &v) { cl::copy(q, v.begin(), v.end(), b); };' 'up(d, v);' \
    'set(k, d, o, 8);'
refused_template 'which kernel this launches is not known' \
    'cl::KernelFunctor<cl::Buffer> g(p, "move");' 'launch(g, d);' 'set(k, d, o, 8);'
templates 'set_from(k, 0, d, o, 8);'
call apply --no-verify --layout soa --host host.cpp --out new k.cl
[ "$status" -eq 2 ] || complain 'arguments that a template sets by calling itself are not refused'
says 'host.cpp:22:21: error: which argument of the kernel this sets is not known; count it by i..'
says 'host.cpp:30:23: error: what becomes of this buffer in a list of arguments of any number'


cat >host.cpp <<'CPP'
#include <CL/opencl.hpp>
void clear(cl::CommandQueue q, cl::Buffer &b) { q.enqueueFillBuffer(b, 0, 0, 8); }
template <class B> void reset(cl::CommandQueue q, B &b) { clear(q, b); }
void use(cl::Context c, cl::CommandQueue q, cl::Program p) {
    cl::Buffer d(c, 0, 64), o(c, 0, 64);
    reset(q, d);
    clear(q, o);
    cl::Kernel(p, "move").setArg(0, d);
}
CPP
refuses "host.cpp:3:68: error: what this is depends on a template's parameter" \
    apply --no-verify --layout soa --host host.cpp --out new k.cl

# Older bindings are others.
cat >host.cpp <<'CPP'
namespace cl {
struct Program {};
struct Buffer {
    Buffer(int flags, unsigned long size);
};
struct Kernel {
    Kernel(Program p, const char *name);
    template <class T> int setArg(unsigned index, const T &value);
};
}
void use(cl::Program p) {
    cl::Buffer d(0, 64);
    cl::Kernel(p, "move").setArg(0, d);
}
CPP
refuses 'host.cpp:12:16: error: these are .* bindings .* from before 2015.*<CL/opencl.hpp>' \
    apply --no-verify --layout soa --host host.cpp --out new k.cl

finish
