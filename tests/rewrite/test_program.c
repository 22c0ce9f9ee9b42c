/* CUDA programs with their host code: what becomes of it, and the list of places where it cannot be
 * followed. Whole programs that are built and run are those of test_whole.sh. */
#include "kit.h"

static const char head[] =
    "struct R { float x; int n; float y; };\n"
    "__global__ void k(R *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].n; }\n";

static hd_status try_program(kit *k, const char *text, const char *layout, hd_rewritten **result) {
    static const char options[] = "--cuda-path=";
    char *path = kit_write(k, "p.cu", text);
    const hd_record *record = kit_record(k, path, options, "R");
    const hd_record_layout chosen = {record, kit_layout(k, record, layout)};
    const hd_rewrite_request request = {
        .path = path, .options = options, .layouts = &chosen, .layout_count = 1, .with_host = true};
    k->messages = (hd_str){.arena = k->arena};
    return hd_rewrite(k->arena, &k->diag, &request, result);
}

/* What is there line by line, and what becomes of it; what is not named stays. */
typedef struct line {
    const char *before, *after;
} line;

static void check_lines(kit *k, const char *layout, const char *first, const line *lines,
                        size_t count) {
    hd_str before = {.arena = k->arena}, after = {.arena = k->arena};
    hd_rewritten *result = NULL;
    hd_str_add(&before, first);
    for (size_t i = 0; i < count; i++) {
        hd_str_printf(&before, "%s\n", lines[i].before);
        hd_str_printf(&after, "%s\n", lines[i].after ? lines[i].after : lines[i].before);
    }
    if (try_program(k, hd_str_text(&before), layout, &result) != HD_OK)
        fail_msg("%s", kit_said(k));
    assert_true(result->is_program);
    const char *text = strstr(result->files[0].text, HD_GENERATED_END "R'. */\n");
    assert_non_null(text);
    text = strchr(text, '\n') + 1;
    if (!strstr(text, hd_str_text(&after)))
        fail_msg("this came out:\n%swhere this was expected:\n%s", text, hd_str_text(&after));
}

static void host_code_gets_references(void **state) {
    static const line lines[] = {
        {"R *all, *none = nullptr;", "R_ref all, none = {};"},
        {"struct owner { R *mine = nullptr; int n; owner(R *p) : mine(p), n(0) {} };",
         "struct owner { R_ref mine = {}; int n; owner(R_ref p) : mine(p), n(0) {} };"},
        {"R *make(int n) { R *p; return cudaMalloc((void **)&p, n * sizeof(R)) ? nullptr : p; }",
         "R_ref make(int n) { R_ref p; return heddle::cudaMalloc(&p, n * sizeof(R)) ? R_ref{} : p; "
         "}"},
        {"void launch(R *p, int n) { k<<<1, 64>>>(p, n); }",
         "void launch(R_ref p, int n) { k<<<1, 64>>>(p, n); }"},
        {"#define RUN(kernel, ...) kernel<<<2, 32>>>(__VA_ARGS__)", NULL},
        {"int main() {", NULL},
        {"    R *h = new R[64], *d = make(64); int n = 64;",
         "    R *h = new R[64]; R_ref d = make(64); int n = 64;"},
        {"    if (!d || d == NULL) return 1;", "    if (!R_is_set(d) || !R_is_set(d)) return 1;"},
        {"    cudaMemcpy(d + 3, h, n * sizeof *h, cudaMemcpyHostToDevice);",
         "    heddle::cudaMemcpy(R_at(d, 3), h, n * sizeof *h, cudaMemcpyHostToDevice);"},
        {"    cudaMemset(&d[n - 1], 0, sizeof *d);",
         "    heddle::cudaMemset(R_at(d, n - 1), 0, sizeof(R));"},
        {"    launch(d, n);", NULL},
        {"    RUN(k, d, n);", NULL},
        {"    owner o(d); k<<<1, 64>>>(o.mine, n);", NULL},
        {"    void *list[] = {&d, &n};", NULL},
        {"    cudaLaunchKernel((const void *)k, dim3(1), dim3(64), list, 0, 0);", NULL},
        {"    cudaMallocManaged(&all, n * sizeof(R)); k<<<1, 64>>>(all, n);",
         "    heddle::cudaMallocManaged(&all, n * sizeof(R)); k<<<1, 64>>>(all, n);"},
        {"    for (R *q = all; q < all + n; q++) q->x = all[3].y;",
         "    for (R_ref q = all; q.index < R_at(all, n).index; q.index += 1) (*R_x(q, 0)) = "
         "(*R_y(all, 3));"},
        {"    cudaMemcpy(h, d, n * sizeof(R), cudaMemcpyDeviceToHost);",
         "    heddle::cudaMemcpy(h, d, n * sizeof(R), cudaMemcpyDeviceToHost);"},
        {"    cudaFree(d); cudaFree(all); d = nullptr; none = d;",
         "    heddle::cudaFree(d); heddle::cudaFree(all); d = {}; none = d;"},
        {"    return (int)h[0].x;", NULL},
        {"}", NULL},
    };
    static const char *const layouts[] = {"soa", "aosoa:32", "{x,n}{y}", "{x}{n,y}:4/da"};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        check_lines(*state, layouts[i], head, lines, sizeof lines / sizeof *lines);
}

static void templates_keep_their_other_types(void **state) {
    static const line lines[] = {
        {"template <class T> T *make(int n) { T *p = nullptr; cudaMalloc(&p, n * sizeof(T)); "
         "return p; }",
         "template <class T> heddle::pointer<T> make(int n) { heddle::pointer<T> p = {}; "
         "heddle::cudaMalloc(&p, n * sizeof(T)); return p; }"},
        {"template <class T> struct owner { T *mine; owner() : mine(nullptr) {}",
         "template <class T> struct owner { heddle::pointer<T> mine; owner() : "
         "mine(heddle::pointer<T>{}) {}"},
        {"    const T *get() const { return mine; }",
         "    heddle::pointer<const T> get() const { return mine; }"},
        {"    ~owner() { if (mine) cudaFree(mine); } };",
         "    ~owner() { if (heddle::is_set(mine)) heddle::cudaFree(mine); } };"},
        {"__global__ void m(const R *p, float *f) { f[0] = p[1].x; }",
         "__global__ void m(R_ref p, float *f) { f[0] = (*R_x(p, 1)); }"},
        {"int main() {", NULL},
        {"    owner<R> o; o.mine = make<R>(8); owner<float> f; f.mine = make<float>(8);", NULL},
        {"    m<<<1, 1>>>(o.get(), f.mine);", NULL},
        {"    return 0; }", NULL},
    };
    check_lines(*state, "aosoa:32", head, lines, sizeof lines / sizeof *lines);
}

/* Templates that launch what they are given, and structs that lie on the device. */
static void wrappers_pass_references_on(void **state) {
    static const line lines[] = {
        {"template <class K, class... A> void run(K kernel, int n, A... a) { kernel<<<n, "
         "32>>>(a...); "
         "}",
         NULL},
        {"struct scene { R *all; int n; };", "struct scene { R_ref all; int n; };"},
        {"__global__ void m(const scene *s) { s->all[1].x = s->n; }",
         "__global__ void m(const scene *s) { (*R_x(s->all, 1)) = s->n; }"},
        {"int main() {", NULL},
        {"    R *d; cudaMalloc(&d, 8 * sizeof(R));",
         "    R_ref d; heddle::cudaMalloc(&d, 8 * sizeof(R));"},
        {"    run(k, 1, d, 8);", NULL},
        {"    scene s = {d, 8}, *t; cudaMalloc(&t, sizeof s);", NULL},
        {"    cudaMemcpy(t, &s, sizeof s, cudaMemcpyHostToDevice);", NULL},
        {"    m<<<1, 1>>>(t);", NULL},
        {"    return 0; }", NULL},
    };
    check_lines(*state, "aosoa:32", head, lines, sizeof lines / sizeof *lines);
}

static void functions_of_both_sides_get_copies(void **state) {
    static const line lines[] = {
        {"__host__ __device__ float f(const R &r) { return r.x * r.y; }", NULL},
        {"__global__ void m(R *p, float *o) { *o = f(p[2]); }",
         "__global__ void m(R_ref p, float *o) { *o = f(R_load(p, 2)); }"},
        {"int main() { R r = {}; R *d = nullptr; m<<<1, 1>>>(d, 0); return f(r) > 0; }",
         "int main() { R r = {}; R_ref d = {}; m<<<1, 1>>>(d, 0); return f(r) > 0; }"},
    };
    check_lines(*state, "soa", head, lines, sizeof lines / sizeof *lines);
}

/* Without launches the host keeps what it has, and kernels take allocations and a count. */
static void a_file_without_launches_is_kernels(void **state) {
    kit *k = *state;
    hd_rewritten *result = NULL;
    assert_int_equal(try_program(k,
                                 hd_format(k->arena, "%sint main() { return sizeof(R); }\n", head),
                                 "soa", &result),
                     HD_OK);
    assert_false(result->is_program);
    assert_non_null(strstr(result->files[0].text, "p_count"));
}

/* ---- places ------------------------------------------------------------------------------ */

/* `said`: all lines and columns, with a part of what is said there; one each line. */
static void check_places(kit *k, const char *first, const char *body, const char *said) {
    hd_rewritten *result = (hd_rewritten *)k;
    hd_status status =
        try_program(k, hd_format(k->arena, "%s%s", first, body), "aosoa:32", &result);
    if (status != HD_EUNSUPPORTED || result)
        fail_msg("rewritten:\n%s", result ? result->files[0].text : kit_said(k));
    const char *at = kit_said(k);
    for (const char *want = said; *want; want += strcspn(want, "\n") + 1) {
        size_t length = strcspn(want, "\n"), place = strcspn(want, " ");
        const char *text = hd_strndup(k->arena, want + place + 1, length - place - 1);
        const char *whole = hd_strndup(k->arena, at, strcspn(at, "\n"));
        if (strncmp(whole, want, place) != 0 || whole[place] != ' ' || !strstr(whole, text))
            fail_msg("'%s' where this was expected: %.*s\n%s", whole, (int)length, want,
                     kit_said(k));
        at += strcspn(at, "\n") + 1;
    }
    if (*at)
        fail_msg("more is said:\n%s", at);
}

static void an_array_escapes_into_a_library(void **state) {
    static const char library[] =
        "struct R { float x; int n; float y; };\n"
        "__global__ void k(R *p) { p->x = 1; }\n"
        "template <class T> struct device_ptr { explicit device_ptr(T *p); };\n"
        "extern \"C\" int gemm(int n, const float *a);\n"
        "void library(void *p);\n";
    check_places(*state, library,
                 "int main() {\n"
                 "    R *d;\n"
                 "    cudaMalloc(&d, 64 * sizeof(R));\n"
                 "    k<<<1, 64>>>(d);\n"
                 "    device_ptr<R> t(d);\n"
                 "    gemm(64, (const float *)d);\n"
                 "    library(d);\n"
                 "    void *kept = d;\n"
                 "    gemm(64, &d->x);\n"
                 "    return kept != 0;\n"
                 "}\n",
                 "3:40: 'device_ptr<T>' gets laid-out records, but is defined in another file\n"
                 "11:29: is cast to 'const float *'\n"
                 "12:13: goes to 'library', which knows nothing of its layout\n"
                 "13:18: is stored in a variable of another type\n"
                 "14:15: the address of field 'x' is passed to 'gemm'\n");
}

static void managed_memory_goes_where_nothing_follows(void **state) {
    check_places(*state, head,
                 "void grow(R &r) { r.x++; }\n"
                 "R *elsewhere();\n"
                 "int main() {\n"
                 "    R *p, mine[4];\n"
                 "    cudaMallocManaged(&p, 64 * sizeof(R));\n"
                 "    k<<<1, 64>>>(p, 64);\n"
                 "    grow(p[0]);\n"
                 "    grow(mine[1]);\n"
                 "    return *(reinterpret_cast<char *>(p) + 4);\n"
                 "}\n",
                 "10:10: mixed with laid-out records 'R'\n"
                 "11:39: is cast to 'char *'\n");
}

static void pointers_to_functions(void **state) {
    check_places(*state, head,
                 "int main() {\n"
                 "    R *d;\n"
                 "    cudaMalloc(&d, 64 * sizeof(R));\n"
                 "    auto good = &k;\n"
                 "    void (*f)(R *, int) = k;\n"
                 "    f = &k;\n"
                 "    f<<<1, 64>>>(d, 64);\n"
                 "    good<<<1, 64>>>(d, 64);\n"
                 "}\n",
                 "7:27: 'k' takes references in this layout\n"
                 "8:10: 'k' takes references in this layout\n");
}

static void pointers_without_a_type(void **state) {
    static const line lines[] = {
        {"int main() {", NULL},
        {"    void *raw; char *bytes;", "    R_ref raw; R_ref bytes;"},
        {"    cudaMalloc(&raw, 64 * sizeof(R));", "    heddle::cudaMalloc(&raw, 64 * sizeof(R));"},
        {"    cudaMalloc((void **)&bytes, 64 * sizeof(R));",
         "    heddle::cudaMalloc(&bytes, 64 * sizeof(R));"},
        {"    R *d = (R *)raw;", "    R_ref d = raw;"},
        {"    k<<<1, 64>>>(d, 64); k<<<1, 64>>>(reinterpret_cast<R *>(bytes) + 1, 6);",
         "    k<<<1, 64>>>(d, 64); k<<<1, 64>>>(R_at(bytes, 1), 6);"},
        {"    return 0; }", NULL},
    };
    check_lines(*state, "soa", head, lines, sizeof lines / sizeof *lines);
    check_places(*state, head,
                 "int main() {\n"
                 "    char *raw;\n"
                 "    cudaMalloc(&raw, 64 * sizeof(R));\n"
                 "    k<<<1, 64>>>((R *)raw, 64);\n"
                 "    raw[4] = 0;\n"
                 "    return *(float *)(raw + 4) > 0;\n"
                 "}\n",
                 "7:5: 'raw' is declared as bytes, in which there are laid-out records 'R'\n"
                 "8:23: 'raw' is declared as bytes\n");
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, kit_setup, kit_teardown)
    const struct CMUnitTest tests[] = {
        TEST(host_code_gets_references),
        TEST(templates_keep_their_other_types),
        TEST(wrappers_pass_references_on),
        TEST(functions_of_both_sides_get_copies),
        TEST(a_file_without_launches_is_kernels),
        TEST(an_array_escapes_into_a_library),
        TEST(managed_memory_goes_where_nothing_follows),
        TEST(pointers_to_functions),
        TEST(pointers_without_a_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
