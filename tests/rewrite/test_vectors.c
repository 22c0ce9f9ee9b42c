/* Fields that lie together are loaded together: in Heddle's compiled form of rewritten kernels, and in
 * what nvcc makes of them, where it is installed. */
#include "kit.h"
#include "kernel/kernel.h"

/* Kernels that gather x, y and z. */
static const char cuda[] =
    "struct body { float x, y, z, m, vx, vy, vz; };\n"
    "extern \"C\" __global__ void gather(const body *p, const int *idx, float *out) {\n"
    "    const body *b = &p[idx[blockIdx.x * blockDim.x + threadIdx.x]];\n"
    "    out[blockIdx.x * blockDim.x + threadIdx.x] = b->x * b->x + b->y * b->y + b->z * b->z;\n"
    "}\n";
static const char opencl[] =
    "typedef struct body { float x, y, z, m, vx, vy, vz; } body;\n"
    "kernel void gather(global const body *p, global const int *idx, global float *out) {\n"
    "    global const body *b = &p[idx[get_global_id(0)]];\n"
    "    out[get_global_id(0)] = b->x * b->x + b->y * b->y + b->z * b->z;\n"
    "}\n";

/* What the loads of x, y and z become: how many they are, of so many bytes each. */
static const struct {
    const char *layout;
    uint32_t loads, bytes;
} cases[] = {
    {"{x,y,z,_}{m}{vx,vy,vz,_}", 1, 16},
    {"{x,y,z,m}{vx,vy,vz}/da", 1, 16},
    {"{vx,vy,vz,_}{m}{x,y,z,_}", 1, 16},
    {"{x,y,z}{m,vx,vy,vz}", 3, 4},
    {"soa", 3, 4},
    {"aosoa:32", 3, 4},
};

static const char *rewritten_to(kit *k, const char *path, const char *layout) {
    const hd_record *body = kit_record(k, path, NULL, "body");
    hd_rewritten *made = kit_rewrite(k, path, NULL, body, kit_layout(k, body, layout));
    return kit_write(k, hd_format(k->arena, "new%s", strrchr(path, '.')), made->files[0].text);
}

static void check_loads(kit *k, const char *path, uint32_t loads, uint32_t bytes) {
    kir_module *module;
    if (hd_frontend_of(k->arena, &k->diag, path, NULL, KIR_FOR_NVIDIA, NULL, &module) != HD_OK)
        fail_msg("%s", kit_said(k));
    const hd_kernel_info *info = hd_kernel_analyse(k->arena, module, module->kernels[0], NULL);
    uint32_t found = 0;
    for (uint32_t a = 0; a < info->access_count; a++) {
        const hd_access *access = &info->accesses[a];
        if (access->kind != HD_LOAD || access->space != KIR_GLOBAL || !access->indirect)
            continue;
        found++;
        assert_int_equal(access->width, bytes);
    }
    assert_int_equal(found, loads);
}

static void a_cluster_is_one_load(void **state) {
    kit *k = *state;
    const char *paths[] = {kit_write(k, "old.cu", cuda), kit_write(k, "old.cl", opencl)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int p = 0; p < 2; p++)
            check_loads(k, rewritten_to(k, paths[p], cases[i].layout), cases[i].loads,
                        cases[i].bytes);
}

static uint32_t count(const char *text, const char *word) {
    uint32_t found = 0;
    while ((text = strstr(text, word)) != NULL) {
        found++;
        text += strlen(word);
    }
    return found;
}

static void nvcc_makes_the_same_of_it(void **state) {
    kit *k = *state;
    const char *path = kit_write(k, "old.cu", cuda), *nvcc = "/usr/local/cuda/bin/nvcc";
    if (access(nvcc, X_OK) != 0)
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *made = rewritten_to(k, path, cases[i].layout);
        char *ptx = hd_format(k->arena, "%s/new.ptx", k->folder);
        size_t length;
        assert_int_equal(
            system(hd_format(k->arena, "%s -w -arch=sm_80 -ptx -o %s %s", nvcc, ptx, made)), 0);
        assert_int_equal(hd_read_file(k->arena, &k->diag, ptx, &ptx, &length), HD_OK);
        assert_int_equal(count(ptx, cases[i].bytes == 16 ? "ld.global.v4.f32" : "ld.global.f32"),
                         cases[i].loads);
        assert_int_equal(count(ptx, "ld.global."), cases[i].loads + 1); /* and the index */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_cluster_is_one_load, kit_setup, kit_teardown),
        cmocka_unit_test_setup_teardown(nvcc_makes_the_same_of_it, kit_setup, kit_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
