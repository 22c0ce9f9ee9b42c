/* What cannot be rewritten safely is refused at its place, and nothing is made. */
#include "kit.h"
#include "sanitized.h"

typedef struct refusal {
    const char *body; /* of a kernel with parameters p, q and n, or whole functions after a '\f' */
    const char *said; /* "line:column: part of the text"; NULL: rewritten */
} refusal;

static const char head[] =
    "typedef struct R { float x; int n; float d[4]; struct s { float a; } s; } R;";

/* Line 1 declares the record, line 2 the kernel; its body begins at 3:1. */
static char *source_of(kit *k, const refusal *r) {
    if (*r->body == '\f')
        return hd_format(k->arena, "%s\n%s\n", head, r->body + 1);
    return hd_format(
        k->arena,
        "%s\nkernel void k(global R *p, global const R *q, global float *out, int n) {\n"
        "%s\n}\n",
        head, r->body);
}

static void check(kit *k, const refusal *r) {
    char *path = kit_write(k, "k.cl", source_of(k, r));
    hd_record record = {.name = "R", .spelling = "R", .field_count = 4};
    hd_field fields[] = {{.name = "x", .type = "float", .size = 4, .align = 4, .count = 1},
                         {.name = "n", .type = "int", .size = 4, .align = 4, .count = 1},
                         {.name = "d", .type = "float", .size = 16, .align = 4, .count = 4},
                         {.name = "s", .type = "struct s", .size = 4, .align = 4, .count = 1}};
    record.fields = fields;
    hd_record_lay_out(&record);
    hd_rewritten *result = (hd_rewritten *)k;
    k->messages = (hd_str){.arena = k->arena};
    hd_status status = kit_try(k, path, "", &record, hd_layout_soa(k->arena, &record), &result);
    if (!r->said) {
        if (status != HD_OK)
            fail_msg("'%s' was refused: %s", r->body, kit_said(k));
        return;
    }
    if (status != HD_EUNSUPPORTED || result)
        fail_msg("'%s' was rewritten:\n%s", r->body, result ? result->files[0].text : "");
    const char *text = strchr(r->said, ' ') + 1, *end = strchr(r->said, ' ');
    if (strncmp(kit_said(k), r->said, (size_t)(end - r->said)) || !strstr(kit_said(k), text))
        fail_msg("'%s' said\n%swhere this was expected:\n%s", r->body, kit_said(k), r->said);
}

static void check_all(void **state, const refusal *refusals, size_t count) {
    for (size_t i = 0; i < count; i++)
        check(*state, &refusals[i]);
}
#define CHECK_ALL(state, list) check_all(state, list, sizeof(list) / sizeof *(list))

static void the_pointer_goes_astray(void **state) {
    static const refusal list[] = {
        {"global float *f = (global float *)p;", "3:35: is cast to '__global float *'"},
        {"out[0] = ((global float *)(p + n))[1];", "3:28: is cast"},
        {"global R *r = (global R *)out;", "3:15: 'r' holds a cast of another pointer"},
        {"((global R *)out)->x = 1;", "3:2: another pointer is cast to one to 'R'"},
        {"global R *r = 0;", "3:1: not initialised"},
        {"global R *r; r = 0;", "3:18: no place in an array"},
        {"global R *r = n ? p : 0;", "3:23: no place in an array"},
        {"if (p) p->x = 1;", "3:5: is tested"},
        {"if (p == 0) p->x = 1;", "3:5: is compared with what is no pointer"},
        {"if (p && n) p->x = 1;", "3:5: is tested"},
        {"if (!p) return;", "3:6: is tested"},
        {"while (p++) n++;", "3:8: is tested"},
        {"for (global R *r = p; r; r++) n++;", "3:23: is tested"},
        {"global void *v = &p[1];", "3:18: is stored or passed on"},
        {"global void *v = p;", "3:18: is stored in a variable of another type"},
        {"printf(\"%p\", p);", "3:14: is passed to 'printf'"},
        {"prefetch((global const int *)q, 4);", "3:30: is cast"},
        {"local R t[4]; async_work_group_copy((local int *)t, (const global int *)p, 4, 0);",
         "3:73: is cast"},
        {"volatile global R *r = &p[1]; r->x = 1;", "3:1: points to volatile records"},
        {"((volatile global R *)p)->x = 1;", "3:23: is cast to 'volatile __global R *'"},
        {"*(volatile global int *)&p->n = 1;", NULL},
        {"sizeof(p);", "3:8: cannot follow"},
        {"global R *a[2] = {p, p}; int i = 0; a[i++]++->x = 1;", "3:37: changed and used at once"},
        {"int l = sizeof(__typeof__(*p)) + sizeof(__typeof__(p->x));", NULL},
        {"out[0] = (__typeof__(n + p->n))out[1];", NULL},
        {"int l __attribute__((aligned(sizeof(p->d)))) = 1;",
         "3:37: where Heddle cannot follow it"},
        {"{ int p = 3; out[0] = p; }", NULL},
    };
    CHECK_ALL(state, list);
}

static void the_address_of_a_field_escapes(void **state) {
    static const refusal list[] = {
        {"global float *f = &p[n].x; *f = f[0];", NULL},
        {"global float *f = &p[n].x; f[1] = 2;", "3:20: is stored"},
        {"global float *f = &p[n].x; f++;", "3:20: is stored"},
        {"volatile global int *z = &p[n].n; z[n] = 0;", "3:27: is stored"},
        {"global float *f; f = &p[n].x;", "3:23: is stored"},
        {"global float *f = p[n].d; f++; out[0] = *f;", NULL},
        {"global struct s *f = &p[n].s; f->a = 1;", NULL},
        {"out[0] = *(&p[0].x + 1);", "3:13: is stored"},
        {"out[0] = (&p[0].x)[1];", "3:12: is stored"},
        {"float4 v = vload4(0, &p[n].x);", "3:23: goes to 'vload4'"},
        {"float4 v = vload4(n, p[n].d);", "3:22: goes to 'vload4'"},
        {"float4 v = vload4(1, p[n].d);", "3:22: goes to 'vload4'"},
        {"float4 v = vload4(0, p[n].d);", NULL},
        {"vstore2((float2)(1), 1, p[n].d);", NULL},
        {"vstore2((float2)(1), 2, p[n].d);", "3:25: goes to 'vstore2'"},
        {"out[0] = *(float global *)&p[0].n;", NULL},
        {"out[0] = *(global char *)&p[0].n;", "3:27: is stored, compared or cast"},
        {"out[0] = (*(global float4 *)p[0].d).x;", "3:29: is stored, compared or cast"},
        {"if (&p[0].x == out) n++;", "3:6: is stored, compared"},
        {"atomic_inc(&p[n].n);", NULL},
        {"atomic_cmpxchg((volatile global int *)&p[n].x, 0, 1);", NULL},
        {"local float t[4]; async_work_group_copy(t, p[n].d, 4, 0);",
         "3:44: is passed to 'async_work_group_copy'"},
        {"\fvoid f(global float *x) { *x = 1; }\nkernel void k(global R *p) { f(&p[1].x); "
         "f(p[1].d); }",
         NULL},
        {"\fvoid f(global float *x) { x[1] = 1; }\nkernel void k(global R *p) { f(&p[1].s.a); }",
         "3:33: is passed to 'f'"},
        {"\fvoid f(global float *x) { global float *y = x; y[1] = 2; }\n"
         "kernel void k(global R *p) { f(&p[1].x); }",
         "3:33: is passed to 'f'"},
        {"\fvoid g(global float *x) { atomic_xchg(x, 1); x[0] += 1; }\n"
         "void f(global float *x) { g(x); }\nkernel void k(global R *p) { f(&p[1].x); }",
         NULL},
        {"\fvoid atomic_two(global float *x) { x[0] += 1; x[1] += 1; }\n"
         "kernel void k(global R *p) { atomic_two(&p[1].x); }",
         "3:42: is passed to 'atomic_two'"},
        {"\fvoid atomic_one(global float *x) {\n"
         "volatile global int *bits = (volatile global int *)x; atomic_inc(bits); *bits = 1; }\n"
         "kernel void k(global R *p) { atomic_one(&p[1].x); }",
         NULL},
        {"\fvoid f(global float *x);\nkernel void k(global R *p) { f(&p[1].x); }",
         "3:33: is passed to 'f'"},
        {"\ffloat f(global struct s *x) { return x->a; }\n"
         "kernel void k(global R *p) { p->x = f(&p[1].s); }",
         NULL},
        {"out[0] = (&p[0].s)[1].a;", "3:12: is stored"},
    };
    CHECK_ALL(state, list);
}

/* What a helper can make of the address of a field `x` or `n`. */
static void what_a_helper_does_with_an_address(void **state) {
    static const char *const refused[] = {
        "return (&*v)[2];",
        "return *(&v[0] + 2);",
        "return *(&*(v) + 2);",
        "return (v)[2];",
        "return ((global float *)v)[2];",
        "return *(v + 0 + 2);",
        "return (n, v)[1];",
        "return (n ? v : v)[1];",
        "return (n ? &*v : v)[1];",
        "global float *a = &*v; return a[1];",
        "global float *a = &v[0], *b = a; return b[1];",
        "return other(&*v);",
        "return *(global double *)&*v;",
        "return (&0[v])[1];",
        "global float *a[1] = {&*v}; return a[0][1];",
        "struct { global float *a; } s = {&*v}; return s.a[1];",
        "global float **a = &v; return (*a)[1];",
        "global float *a; a = &*v; return a[1];",
        "v = &*v + 1; return *v;",
        "++v; return *v;",
        "return (&*v - &v[0]) + v[1];",
        "return ((global union { float a[4]; } *)v)->a[2];",
    };
    static const char *const rewritten[] = {
        "return (&*v)[0];",
        "return *&*&v[0];",
        "return (n, *v);",
        "return (n, v)[0];",
        "return (n ? v : &*v)[0];",
        "return as_float(*(global int *)&*v);",
        "global float *a = (&*(v)); *a += 1; return a[0];",
        "return one(&*v) + one(&v[0]) + one((v));",
        "float a[2]; a[0] = a[1] = *v; return (&a[0])[1];",
        "return sizeof(v) + sizeof(*v) + *v;",
        "return out[(int)*v & 3] + (&out[(int)v[0] & 3])[1];",
    };
    kit *k = *state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused + sizeof rewritten / sizeof *rewritten;
         i++) {
        bool is_refused = i < sizeof refused / sizeof *refused;
        const char *body =
            is_refused ? refused[i] : rewritten[i - sizeof refused / sizeof *refused];
        refusal r = {hd_format(k->arena,
                               "\ffloat other(global float *v) { return v[1]; }\n"
                               "float one(global float *v) { return *v; }\n"
                               "float f(global float *v, global float *out, int n) { %s }\n"
                               "kernel void k(global R *p, global float *out, int n) {\n"
                               "out[n] = f(&p[n].x, out, n); }",
                               body),
                     is_refused ? "6:13: is passed to 'f', which could reach other fields" : NULL};
        check(k, &r);
    }
}

static void functions_that_do_not_fit(void **state) {
    static const refusal list[] = {
        {"\fglobal R *f(global R *p) { return 0; }\nkernel void k(global R *p) { p->x = 1; }",
         "2:35: leads to none"},
        {"\fvoid f(const R *p) {}\nkernel void k(global R *p) { f(p); }", NULL},
        {"\ffloat f(const R *p) { return p->x; }\n"
         "kernel void k(global R *p) { R v = p[1]; p->x = f(&v) + f(p); }",
         "3:59: 'p' holds laid-out records 'R' here, and a record in private or shared memory"},
        {"\fvoid f(global void *p) {}\nkernel void k(global R *p) { f(&p[2]); }",
         "3:32: is passed to 'f' as another type; declare its parameter '__global R *'"},
        {"\fkernel void f(global R *p) { p->x = 1; }\nkernel void k(global R *p) { f(p); }",
         "3:30: is called as a function"},
        {"\fstruct S { global R *p; };\nkernel void k(global R *p) { p->x = 1; }",
         "2:12: keeps a pointer to 'R' in a struct"},
        {"\fstruct S { R r; };\nfloat f(global R *r) { return r->x; }\n"
         "kernel void k(global R *p, global struct S *s) { p->x = s->r.x + f(&s->r); }",
         "4:68: what a struct holds"},
        {"\fkernel void k(global R p[16]) { p->x = 1; }", "2:15: write '*p'"},
        {"\fkernel void k(global volatile R *p) { p->x = 1; }", "2:15: volatile"},
        {"\fvolatile global R *f(global R *p) { return p; }\n"
         "kernel void k(global R *p) { f(p)->x = 1; }",
         "2:1: points to volatile records"},
        {"\f#define ARGS global R *p, int n\nkernel void k(ARGS) { p->x = 1; }", NULL},
        {"\fkernel void k(global R *p) { R v, w; v = p[1] = w; }", NULL},
        {"\fglobal R *kept;\nkernel void k(global R *p) { p->x = 1; }",
         "2:1: outside of functions"},
    };
    CHECK_ALL(state, list);
}

static void macros_that_hide_an_access(void **state) {
    static const refusal list[] = {
        {"\f#define X(i) p[i].x\nkernel void k(global R *p) { X(3) = 1; X(4) = X(5); }", NULL},
        {"\f#define X(e) (e).x\nkernel void k(global R *p) { X(p[3]) = 1; }", NULL},
        {"\f#define AT(a, i) a[i].x\nkernel void k(global R *p) { AT(p, 3) = 1; }", NULL},
        {"\f#define FIRST p\nkernel void k(global R *p) { FIRST[1].x = 1; }", NULL},
        {"\f#define SET(a, b) a = b\nkernel void k(global R *p) { R v; SET(p[1], v); }", NULL},
        {"\f#define PLUS(a) a + 1\nkernel void k(global R *p) { (p + 2 * PLUS(3))->x = 1; }",
         "3:30: partly by a macro"},
        {"\f#define AT(a, i) a[i].x\nkernel void k(global R *p, global R *q) {\n"
         "AT(p, 3) = AT(q, 1); }",
         NULL},
        {"\f#define X(i) r[i].x\nkernel void k(global R *p) { { global R *r = p; X(3) = 1; }\n"
         "{ R r[4]; X(1) = 2; } }",
         "2:14: means different things where it is used, at"},
        {"\f#define X(i) p[i].x\nkernel void k(global R *p) { X(3) = 1; }\n"
         "float f() { R p[2]; return X(1); }",
         "2:14: means different things"},
        {"\f#define GET(i, a) p[i].a##x\nkernel void k(global R *p) { GET(3, ) = 1; }",
         "3:30: it joins words with ##; write the field's name out"},
        {"\f#define SWAP(a, b) { float t = a; a = b; b = t; }\n"
         "kernel void k(global R *p) { SWAP(p[1].x, p[p[2].n].x) }",
         NULL},
        {"\f#define NAME(n) n##_k\nkernel void NAME(foo)(global R *p) { p->x = 1; }", NULL},
        {"\f#define K kernel __attribute__((reqd_work_group_size(8, 1, 1)))\n"
         "K void k(global R p[]) { p[1].x = 1; }",
         NULL},
    };
    CHECK_ALL(state, list);
}

/* ---- CUDA C: flow decides, not types ------------------------------------------- */

static const char cuda_head[] =
    "struct R { float x; int n; float d[4]; __device__ void grow() { x++; } "
    "__device__ float *lend() { return n ? d : &x; } __device__ float first() { return d[n]; } "
    "__device__ void more() { if (first() > 0) this->grow(); } };";

/* Line 1 declares the record, line 2 the kernel; its body begins at 3:1. */
static void check_cuda(kit *k, const refusal *r) {
    const char *text =
        *r->body == '\f'
            ? hd_format(k->arena, "%s\n%s\n", cuda_head, r->body + 1)
            : hd_format(k->arena,
                        "%s\n__global__ void k(R *p, const R *q, float *out, int n) {\n"
                        "__shared__ R tile[8];\n%s\n}\n",
                        cuda_head, r->body);
    char *path = kit_write(k, "k.cu", text);
    hd_field fields[] = {{.name = "x", .type = "float", .size = 4, .align = 4, .count = 1},
                         {.name = "n", .type = "int", .size = 4, .align = 4, .count = 1},
                         {.name = "d", .type = "float", .size = 16, .align = 4, .count = 4}};
    hd_record record = {.name = "R", .spelling = "R", .field_count = 3, .fields = fields};
    hd_record_lay_out(&record);
    hd_rewritten *result = NULL;
    k->messages = (hd_str){.arena = k->arena};
    hd_status status =
        kit_try(k, path, "--cuda-path=", &record, hd_layout_soa(k->arena, &record), &result);
    if (!r->said && status != HD_OK)
        fail_msg("'%s' was refused: %s", r->body, kit_said(k));
    if (!r->said)
        return;
    const char *part = strchr(r->said, ' ') + 1;
    if (status != HD_EUNSUPPORTED || result ||
        strncmp(kit_said(k), r->said, (size_t)(part - r->said - 1)) || !strstr(kit_said(k), part))
        fail_msg("'%s' said\n%swhere this was expected:\n%s", r->body, kit_said(k), r->said);
}

/* References of C++ to a field `x`. */
static void what_a_reference_leads_to(void **state) {
    static const char said[] = "is kept or passed on as a reference";
    static const char *const refused[] = {
        "float &r = p[n].x; out[0] = (&r)[2];",
        "const float &r = p[n].x; const float &s = r; out[0] = *(&s + 1);",
        "auto &r = p[n].x; const float *a = &r; out[0] = a[1];",
        "out[0] = second(p[n].x);",
        "out[0] = second_of(p[n].x);",
        "out[0] = through(p[n].x);",
        "out[0] = (&first(p + n))[1];",
        "out[0] = (&(p[n].x = 1))[1];",
        "out[0] = (&(n ? p[n].x : p[0].x))[1];",
        "out[0] = (&static_cast<float &>(p[n].x))[1];",
        "out[0] = reinterpret_cast<double &>(p[n].x);",
        "auto f = [](const float &r) { return (&r)[1]; }; out[0] = f(p[n].x);",
        "auto f = [&]() -> float & { return p[n].x; }; out[0] = (&f())[1];",
        "float &r{p[n].x}; out[0] = (&r)[1];",
    };
    static const char *const rewritten[] = {
        "float &r = p[n].x; r += 2; out[0] = *&r + (&r)[0];",
        "const float &r = p[n].x; out[0] = r + out[(int)r];",
        "out[0] = plain(p[n].x) + third(p);",
        "first(p + n) += 1; float *q = &out[(int)p[n].x]; q[1] = 2;",
        "++(p[n].x += 1); out[0] = n ? p[n].x : 0.f;",
        "auto f = [](const float &r) { return r; }; out[0] = f(p[n].x);",
        "auto f = [&](const float &r) { return p[(int)r].x; }; out[0] = f(p[n].x);",
        "auto f = [&](int i) -> float { return p[i].x; }; out[0] = f(n);",
        "out[0] = reinterpret_cast<int &>(p[n].x);",
        "float a = p[n].x; out[0] = (&a)[0]; first(p) = (&p[n].d[0])[1];",
    };
    kit *k = *state;
    size_t bad = sizeof refused / sizeof *refused, good = sizeof rewritten / sizeof *rewritten;
    for (size_t i = 0; i < bad + good; i++) {
        const char *body = i < bad ? refused[i] : rewritten[i - bad];
        const char *helpers = "__device__ float second(const float &v) { return (&v)[1]; }\n"
                              "template <class T> __device__ T second_of(T &v) "
                              "{ return (&v)[1]; }\n"
                              "__device__ float through(float &v) { return second(v); }\n"
                              "__device__ float plain(const float &v) { return v; }\n";
        /* what one use of it does, all uses have to answer for */
        helpers = hd_format(k->arena, "%s__device__ float &first(R *p) { return p->x; }\n%s",
                            helpers, "__device__ float third(R *p) { return first(p) + 1; }\n");
        refusal r = {hd_format(k->arena, "\f%s__global__ void k(R *p, float *out, int n) {\n%s\n}",
                               helpers, body),
                     i < bad ? hd_format(k->arena, "%s %s",
                                         strstr(body, "first(p + n))[") ? "6:40:" : "9:", said)
                             : NULL};
        if (IS_TRIED(i, 3))
            check_cuda(k, &r);
    }
}

static void what_cuda_c_cannot_do(void **state) {
    static const refusal list[] = {
        {"const R &r = n ? p[0] : tile[1]; out[0] = r.x;",
         "4:25: a record in private or shared memory"},
        {"R *r = n ? p : tile; r->x = 1;", "4:16: a record in private or shared memory"},
        {"R *r = nullptr; r = p;", "4:1: not initialised"},
        {"if (p != nullptr) p->x = 1;", "4:5: is compared with what is no pointer"},
        {"float4 *v = reinterpret_cast<float4 *>(p);", "4:40: is cast to 'float4 *'"},
        {"float *v = &p->x; v[1] = 2;", "4:13: is stored"},
        {"float R::*m = &R::x; p[n].*m = 2;",
         "4:22: this element is used with a pointer to a member"},
        {"float R::*m = &R::x; out[0] = (p[n]).*m;", "4:32: used with a pointer to a member"},
        {"float R::*m = &R::x; (p + n)->*m = 2;",
         "4:23: is used with a pointer to a member, which"},
        {"p[n].grow();", NULL},
        {"p[n].lend();", "1:115: the address of field 'x' is stored"},
        {"p[n].more();", NULL},
        {"out[0] = p[n].first();", NULL},
        {"volatile R &r = p[n]; r.x = 1;", "4:1: points to volatile records"},
        {"auto &[x, m, d] = p[n]; x = 2;", "4:1: names fields of an element"},
        {"auto [x, m, d] = p[n]; out[0] = x + m;", NULL},
        {"auto f = [](R *r) { r->x = 1; }; f(p);", "4:13: parameter of a lambda"},
        {"auto f = [r = p + n](int i) { return r[i].x; }; out[0] = f(n);",
         "4:15: this capture makes a new pointer"},
        {"p[n++] = R{1.0f, n};", "4:1: one side of this assignment of an element changes"},
        {"p[n] = p[++n];", "4:1: one side of this assignment"},
        {"p[n++] = q[1]; out[0] = n;", NULL},
        {"auto f = [=](int i) { return p[i].x; }; out[0] = f(n);", NULL},
        {"struct keep { R *at; } s; s.at = p;", "4:34: and what a struct holds"},
        {"const R *r = const_cast<const R *>(p); out[0] = r->x + ((const R *)p)[n].x;", NULL},
        {"R &r = p[n], *s = &r; s->x = r.d[1]; r = tile[0]; tile[1] = r;", NULL},
        {"R r = p[n]; r.grow(); R *s = &r; s->x = tile[1].x; p[n] = *s;", NULL},
        {"\f__device__ float f(const R &r) { return r.x; }\n"
         "__global__ void k(R *p) { R v = p[1]; p->x = f(v) + f(p[2]); }",
         "3:55: 'r' holds laid-out records 'R' here, and a record in private or shared memory"},
        {"\ftemplate <class T> __device__ float f(T *r) { return r->x; }\n"
         "__global__ void k(R *p) { p->x = f(p); }",
         NULL},
        {"\f__device__ R *kept;\n__global__ void k(R *p) { kept = p; }",
         "3:34: what lives outside of functions"},
        {"\f__global__ void k(R *p) { p->x = 1; }\nint main() { k<<<1, 1>>>(nullptr); }", NULL},
        {"\f__constant__ R table[4];\n__device__ float f(const R *r) { return r->x; }\n"
         "__global__ void k(R *p) { p->x = f(table) + table[1].x; }",
         NULL},
        {"\ftemplate <class T> __global__ void k(T *p) { p->x = 1; }\n"
         "__global__ void m(R *p) { p->x = 1; }\ntemplate __global__ void k<R>(R *);",
         NULL},
        {"\fstruct Q { float x; };\n"
         "template <class T> __global__ void k(T *p) { p->x = 1; }\n"
         "template __global__ void k<R>(R *);\ntemplate __global__ void k<Q>(Q *);",
         "5:31: the template 'k' points to 'R'"},
        {"\fstruct Q { float x; };\n"
         "template <class T> __device__ void f(T &r) { r.x = 1; }\n"
         "__global__ void k(R *p, Q *q) { f(p[1]); f(q[1]); }",
         "4:44: "},
        {"\ftemplate <class T> __global__ void k(R *p, T *q) { p->x = *q; }\n"
         "template __global__ void k<float>(R *, float *);\n"
         "template __global__ void k(R *, int *);",
         NULL},
        {"\ftemplate <class T> __global__ void k(T *p) { p->x = 1; }\n"
         "template <> __global__ void k<R>(R *p) { p->x = 2; }",
         "3:1: 'k' specializes a template, which says nothing of 'R'"},
        {"\f__device__ auto f(R *r) -> R * { return r + 1; }\n"
         "__global__ void k(R *p) { f(p)->x = 1; }",
         "2:1: is not written before its name"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (IS_TRIED(i, 3))
            check_cuda(*state, &list[i]);
}

/* A file of its own, whose record R is as the front end finds it, with `part` taken apart. */
static void check_file(kit *k, const char *name, const char *text, const char *part,
                       const char *layout, const char *said) {
    char *path = kit_write(k, name, text);
    const hd_record *record = kit_record(k, path, "", "R");
    hd_rewritten *result = NULL;
    if (part)
        assert_int_equal(hd_record_split(k->arena, &k->diag, NULL, record, &part, 1, &record),
                         HD_OK);
    k->messages = (hd_str){.arena = k->arena};
    hd_status status = kit_try(k, path, "", record, kit_layout(k, record, layout), &result);
    if (status != (said ? HD_EUNSUPPORTED : HD_OK) || (said && !strstr(kit_said(k), said)))
        fail_msg("'%s' said\n%swhere this was expected:\n%s", text, kit_said(k), said);
}

/* In C++ a method can do to an element what no field's name tells. */
static void what_methods_cannot_do(void **state) {
    static const refusal list[] = {
        {"p[1] += p[0].d[2];", NULL},
        {"p->x = (p[1] += 2).x;",
         "9:35: what the method 'operator+=' returns leads into the element"},
        {"p[1] = 3.0f;", "9:27: the method 'operator=' may change the element"},
        {"p[1][2] = 3;", "9:27: the method 'operator[]' may change the element"},
        {"++p[1];", "9:27: the method 'operator++' may change the element"},
        {"R &r = p[1]; r(3);", "9:40: the method 'operator()' may change the element"},
        {"p[0].x = p[1];", "9:36: the method 'operator float' may change the element"},
        {"const float *d = p[1].data();", "9:44: what the method 'data' returns leads into"},
        {"const float *d; d = p[1].data() + 1;", "9:47: what the method 'data' returns"},
        {"const float &f = p[1].at(2);", "9:44: what the method 'at' returns leads into"},
        {"float f = p[1].at(2) + *p[1].data() + p[0].data()[3]; p->x = f;", NULL},
        {"p->x = -p[1];", NULL},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (IS_TRIED(i, 3))
            check_file(*state, "k.cu",
                       hd_format(((kit *)*state)->arena,
                                 "struct R {\n  float x, d[4];\n"
                                 "  __device__ R &operator+=(float v) { x += v; return *this; }\n"
                                 "  __device__ R &operator=(float v) { x = v; return *this; }\n"
                                 "  __device__ float &operator[](int i) { return d[i]; }  "
                                 "__device__ void operator()(float v) { x = v; }\n"
                                 "  __device__ R &operator++() { x++; return *this; }  "
                                 "__device__ operator float() { return x++; }\n"
                                 "  __device__ const float *data() const { return d; }  "
                                 "__device__ const float &at(int i) const { return d[i]; }\n"
                                 "  __device__ float operator-() { return 0 - x; } };\n"
                                 "__global__ void k(R *p) { %s }\n",
                                 list[i].body),
                       NULL, "soa", list[i].said);
}

static void what_records_of_cuda_c_cannot_do(void **state) {
    static const refusal list[] = {
        {"struct R { float x; R *next; };\n__global__ void k(R *p) { p->x = p->next->x; }",
         "1:21: 'next' keeps a pointer to 'R' in a struct"},
        {"struct R { float x; };\nstruct S { int n; R *at[2]; };\n"
         "__global__ void k(R *p) { p->x = 1; }\n__global__ void l(S s) { s.at[0]->x = 1; }",
         "4:19: 's' brings pointers to 'R' to the kernel"},
        {"struct R { float x; };\n__global__ void k(R *p) { p->x = 1; }\n"
         "__global__ void l(R **p) { p[0]->x = 1; }",
         "3:19: 'p' brings pointers to 'R' to the kernel"},
        {"class R { float x; public: __device__ float get() const { return x; } };\n"
         "__global__ void k(R *p, float *o) { *o = p->get(); }",
         "1:11: 'x' is private"},
        {"struct R { float x; __device__ R() {} __device__ R(const R &r) { x = -r.x; } };\n"
         "__global__ void k(R *p, float *o) { R r = p[1]; *o = r.x; }",
         "1:39: this constructor takes an element of 'R' from its place"},
        {"struct R { float x; __device__ R &operator=(const R &r); };\n"
         "__device__ R &R::operator=(const R &r) { x = -r.x; return *this; }\n"
         "__global__ void k(R *p) { R r; r.x = 1; p[1] = r; }",
         "3:41: the method 'operator=' may change the element"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (IS_TRIED(i, 3))
            check_file(*state, "k.cu", list[i].body, NULL, "soa", list[i].said);
}

/* A packed field must lie where its type may: nothing on a CPU would tell. */
static void what_packed_records_cannot_do(void **state) {
    const char *text = "typedef struct __attribute__((packed)) { char c; int x; } R;\n"
                       "kernel void k(global R *p) { p->x += p->c; }\n";
    check_file(*state, "k.cl", text, NULL, "aos", "1:9: 'x' of 'R' is packed and would not lie");
    check_file(*state, "k.cl", text, NULL, "aosoa:2", "1:9: 'x' of 'R' is packed");
    check_file(*state, "k.cl", text, NULL, "aosoa:4", NULL);
    check_file(*state, "k.cl", text, NULL, "soa", NULL);
}

/* ---- records of arrays, and records taken apart ------------------------------------ */

static void check_arrays(kit *k, const char *text, const char *said) {
    char *path = kit_write(k, "k.cl", text);
    hd_field fields[] = {{.name = "x", .type = "float", .size = 4, .align = 4, .count = 1},
                         {.name = "y", .type = "float", .size = 4, .align = 4, .count = 1}};
    hd_record record = {
        .name = "g", .spelling = "g", .field_count = 2, .fields = fields, .of_arrays = true};
    hd_record_lay_out(&record);
    const hd_array_param params[] = {{"k", "x", &record, 0}, {"k", "y", &record, 1}};
    const hd_record_layout chosen = {&record, hd_layout_aos(k->arena, &record)};
    const hd_rewrite_request request = {
        .path = path, .layouts = &chosen, .layout_count = 1, .arrays = params, .array_count = 2};
    hd_rewritten *result;
    k->messages = (hd_str){.arena = k->arena};
    hd_status status = hd_rewrite(k->arena, &k->diag, &request, &result);
    if (status != (said ? HD_EUNSUPPORTED : HD_OK) || (said && !strstr(kit_said(k), said)))
        fail_msg("'%s' said\n%swhere this was expected:\n%s", text, kit_said(k), said);
    if (!said && !strstr(result->files[0].text, "generated for 'g'. */\n"))
        fail_msg("no line of its own behind what is generated:\n%s", result->files[0].text);
}

static void what_arrays_cannot_do(void **state) {
    kit *k = *state;
#define KERNEL "kernel void k(global float *x, global float *y, global float *z, int n) { "
    check_arrays(k, KERNEL "x[n] = y[n] + z[n]; }\n", NULL);
    check_arrays(k, "float f(global float *a) { return a[1]; }\n" KERNEL "x[n] = f(x) + f(y); }\n",
                 "2:91: 'a' holds field 'y' of 'g' here, and field 'x' of 'g' (");
    check_arrays(k, "float f(global float *a) { return a[1]; }\n" KERNEL "x[n] = f(x); f(z); }\n",
                 NULL);
    check_arrays(k, KERNEL "x[n] = vload2(0, y).x; }\n", "could reach more than one element");
    check_arrays(k, KERNEL "local float t[4]; async_work_group_copy(t, x, 4, 0); }\n",
                 "copy them in a loop");
    check_arrays(k, KERNEL "global float *p = n ? x : y; }\n", "holds field");
    check_arrays(k, KERNEL "z[n] = x == y; }\n", "is compared with what is no pointer");
    check_arrays(k, KERNEL "x += n; }\n", "1:75: 'x' is moved here, but has one reference");
    check_arrays(k, KERNEL "x++; }\n", "1:75: 'x' is moved here");
    check_arrays(k, KERNEL "y = y + 1; }\n", "1:75: 'y' is moved here");
    check_arrays(k, KERNEL "global float **a = &y; ++*a; }\n", "'y' is moved here");
    check_arrays(k, KERNEL "global float *a = x; a += n; *a = y[a == x]; }\n", NULL);
}

static void check_parts(kit *k, const char *body, const char *said) {
    char *path = kit_write(k, "k.cl",
                           hd_format(k->arena,
                                     "typedef struct { float a, b; } vec;\n"
                                     "typedef struct R { vec v; float d[3]; } R;\n"
                                     "void f(global vec *v) { v->a = 1; }\n"
                                     "kernel void k(global R *p, int n) {\n%s\n}\n",
                                     body));
    static const char *const parts[] = {"v", "d"};
    const hd_record *record;
    assert_int_equal(
        hd_record_split(k->arena, &k->diag, NULL, kit_record(k, path, "", "R"), parts, 2, &record),
        HD_OK);
    hd_rewritten *result;
    k->messages = (hd_str){.arena = k->arena};
    hd_status status = kit_try(k, path, "", record, hd_layout_soa(k->arena, record), &result);
    if (status != (said ? HD_EUNSUPPORTED : HD_OK) || (said && !strstr(kit_said(k), said)))
        fail_msg("'%s' said\n%swhere this was expected:\n%s", body, kit_said(k), said);
}

static void what_parts_cannot_do(void **state) {
    kit *k = *state;
    check_parts(k, "p[n].v = p->v; p[n].d[n] = p[1].d[2];", NULL);
    check_parts(k, "f(&p[n].v);", "5:4: 'v' of 'R' is taken apart");
    check_parts(k, "p[n].v.a = vload3(0, p[n].d).x;", "5:22: 'd' of 'R' is taken apart");
    check_parts(k, "p[n].v.a = *p[n].d;", "5:13: 'd' of 'R' is taken apart");
    check_parts(k, "p[n].d[7] = 1;", "5:1: 'd[7]' of 'R' is taken apart");
#define PARTS                                                                           \
    "struct vec { float a, b; __device__ void operator+=(const vec &v) { a += v.a; }\n" \
    "__device__ float sum() const { return a + b; } };\nstruct R { vec v; };\n"         \
    "__global__ void k(R *p) { "
    check_file(k, "k.cu", PARTS "vec v = p->v; p[1].v += v; }\n", "v", "soa", NULL);
    check_file(k, "k.cu", PARTS "const vec &v = p->v; p->v.a = 1; p->v.b = v.a; }\n", "v", "soa",
               "4:42: 'v' of 'R' is taken apart in this layout, so no reference can lead to it");
    check_file(k, "k.cu", PARTS "p->v.a = p[1].v.sum(); }\n", "v", "soa", NULL);
}

/* ---- headers ----------------------------------------------------------------------------- */

static void check_header(kit *k, const char *kernel, const char *options, const char *said) {
    char *path = kit_write(k, "sub/k.cl", kernel);
    const hd_record *record = kit_record(k, path, options, "R");
    hd_rewritten *result;
    k->messages = (hd_str){.arena = k->arena};
    hd_status status = kit_try(k, path, options, record, hd_layout_soa(k->arena, record), &result);
    if (status != (said ? HD_EUNSUPPORTED : HD_OK) || (said && !strstr(kit_said(k), said)))
        fail_msg("'%s' said\n%swhere this was expected:\n%s", kernel, kit_said(k), said);
}

static void headers_that_cannot_be_found_or_agree(void **state) {
    kit *k = *state;
    assert_int_equal(system(hd_format(k->arena, "mkdir %s/sub", k->folder)), 0);
    kit_write(k, "outer.h", "void f(global R *r) { r->x = 1; }\n");
    kit_write(k, "twice.h", "void NAME(SPACE R *r) { r->x = 1; }\n");
    const char *here = hd_format(k->arena, "-I%s", k->folder);
#define RECORD "typedef struct { float x; } R;\n"
#define CALL "kernel void k(global R *p) { f(p); }\n"
    check_header(k, RECORD "#include \"outer.h\"\n" CALL, here, NULL);
    check_header(k, RECORD "#include <outer.h>\n" CALL, here, "2:1: the rewritten");
    check_header(k, RECORD "#include \"../outer.h\"\n" CALL, "", "could not be found");
    check_header(k,
                 RECORD "#define NAME f\n#define SPACE global\n#include \"twice.h\"\n"
                        "#undef NAME\n#undef SPACE\n#define NAME g\n#define SPACE private\n"
                        "#include \"twice.h\"\n" CALL,
                 here, "1:25: this text is included more than once, at ");
}

static void every_place_is_named(void **state) {
    kit *k = *state;
    refusal three = {"if (!p) n = 1;\nif (p) n = 1;\nglobal float *f = &p[1].x; f[n] = 1;",
                     "3:6: is tested"};
    check(k, &three);
    assert_non_null(strstr(kit_said(k), "\n4:5: "));
    assert_non_null(strstr(kit_said(k), "\n5:20: "));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_pointer_goes_astray, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(the_address_of_a_field_escapes, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(what_a_helper_does_with_an_address, kit_setup,
                                        kit_teardown),
        cmocka_unit_test_setup_teardown(what_a_reference_leads_to, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(functions_that_do_not_fit, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(macros_that_hide_an_access, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(what_cuda_c_cannot_do, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(what_methods_cannot_do, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(what_records_of_cuda_c_cannot_do, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(what_packed_records_cannot_do, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(what_arrays_cannot_do, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(what_parts_cannot_do, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(headers_that_cannot_be_found_or_agree, kit_setup,
                                        kit_teardown),
        cmocka_unit_test_setup_teardown(every_place_is_named, kit_setup, kit_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
