/* Host and device at once: every element is done once, and errors of either side end both. */
#include <sched.h>
#include <stdatomic.h>

#include "moves.h"
#include "opencl.h"

typedef struct counted_body {
    float x, y, z;
} counted_body;

static const hd_remap_field counted_fields[] = {HD_REMAP_FIELD(counted_body, x),
                                                HD_REMAP_FIELD(counted_body, y),
                                                HD_REMAP_FIELD(counted_body, z)};
static const hd_remap_record counted_record = HD_REMAP_RECORD(counted_body, counted_fields);

enum { BODIES = 100003, ROWS = 3000, COLUMNS = 17 };

/* What the two sides do: each adds its own to every value, which tells who it was. */
enum { BY_HOST = 1000, BY_DEVICE = 2000 };

typedef struct fixture {
    opencl_device opencl;
    hd_remap_device *device;
    cl_command_queue queue;
    cl_kernel kernel;
    heard last;
    hd_diag diag;
    hd_remap *map;
    float *values; /* all of the array's */
    uint64_t of_unit;
    atomic_int device_began;
    bool wrong_piece;
    hd_status host_status, device_status;
} fixture;

static const char add_text[] = "__kernel void add(__global float *values, uint count, float by) {\n"
                               "    if (get_global_id(0) < count)\n"
                               "        values[get_global_id(0)] += by;\n"
                               "}\n";

static int set_up(void **state) {
    static fixture f;
    const char *text = add_text;
    f.diag = (hd_diag){hear, &f.last};
    if (!opencl_find(&f.opencl) ||
        hd_remap_open_opencl(&f.diag, f.opencl.context, f.opencl.id, &f.device) != HD_OK)
        return -1;
    cl_program program = clCreateProgramWithSource(f.opencl.context, 1, &text, NULL, NULL);
    clBuildProgram(program, 1, &f.opencl.id, "", NULL, NULL);
    f.kernel = clCreateKernel(program, "add", NULL);
    clReleaseProgram(program);
    f.queue = clCreateCommandQueue(f.opencl.context, f.opencl.id, 0, NULL);
    *state = &f;
    return f.kernel && f.queue ? 0 : -1;
}

static int tear_down(void **state) {
    fixture *f = *state;
    hd_remap_close(f->device);
    clReleaseKernel(f->kernel);
    clReleaseCommandQueue(f->queue);
    clReleaseContext(f->opencl.context);
    return 0;
}

/* ---- the work ----------------------------------------------------------------------------- */

/* Begins only when the device has a piece, so that both sides always have some. */
static hd_status on_host(uint64_t first, uint64_t count, void *user) {
    fixture *f = user;
    while (!atomic_load(&f->device_began))
        sched_yield();
    for (uint64_t i = first * f->of_unit; i < (first + count) * f->of_unit; i++)
        f->values[i] += BY_HOST;
    return f->host_status;
}

static hd_status on_device(const hd_remap *piece, const hd_remap_memory memory[], uint64_t first,
                           uint64_t count, void *user) {
    fixture *f = user;
    const size_t group = 256; /* PoCL compiles a kernel for each size of a group */
    cl_uint values = (cl_uint)hd_remap_bytes(piece, 0) / sizeof(float); /* gaps between runs, too */
    size_t items = (values + group - 1) / group * group;
    float by = BY_DEVICE;
    f->wrong_piece |= !f->device->is_shared; /* so that nothing is learned from the piece's move */
    f->wrong_piece |= hd_remap_source_bytes(piece) / sizeof(float) != count * f->of_unit;
    f->wrong_piece |= first + count > hd_remap_source_bytes(f->map) / sizeof(float) / f->of_unit;
    clSetKernelArg(f->kernel, 0, sizeof(cl_mem), &memory[0].opencl);
    clSetKernelArg(f->kernel, 1, sizeof values, &values);
    clSetKernelArg(f->kernel, 2, sizeof by, &by);
    clEnqueueNDRangeKernel(f->queue, f->kernel, 1, NULL, &items, &group, 0, NULL, NULL);
    clFinish(f->queue);
    atomic_store(&f->device_began, 1);
    return f->device_status;
}

static hd_status share(fixture *f, bool returns, uint32_t threads, hd_remap_shares *shares) {
    hd_remap_work work = {f->map, f->values, returns, on_host, on_device, f};
    atomic_store(&f->device_began, 0);
    f->last = (heard){0};
    return hd_remap_share(&f->diag, f->device, &work, threads, shares);
}

static void make_values(fixture *f, uint64_t count) {
    f->values = malloc((size_t)count * sizeof(float));
    for (uint64_t i = 0; i < count; i++)
        f->values[i] = (float)(i % 997);
    f->host_status = f->device_status = HD_OK;
}

static void forget(fixture *f) {
    free(f->values);
    hd_remap_free(f->map);
}

/* Every value was done by the one or the other, the device's share of them `on_device`. */
static void expect_values(const fixture *f, uint64_t units, uint64_t by_device) {
    uint64_t count = 0;
    assert_false(f->wrong_piece || f->device->is_shared);
    for (uint64_t i = 0; i < units * f->of_unit; i++) {
        float by = f->values[i] - (float)(i % 997);
        assert_true(by == BY_HOST || by == BY_DEVICE);
        count += by == BY_DEVICE;
    }
    assert_int_equal(count, by_device * f->of_unit);
}

/* ---- the tests ------------------------------------------------------------------------------ */

static void each_element_is_done_once(void **state) {
    fixture *f = *state;
    hd_remap_shares shares;
    f->of_unit = 3;
    for (uint32_t threads = 0; threads < 4; threads++) {
        make_values(f, BODIES * 3);
        assert_int_equal(hd_remap_layout(&f->diag, &counted_record, "soa", BODIES, &f->map), HD_OK);
        if (share(f, true, threads, &shares) != HD_OK)
            fail_msg("%s", f->last.text);
        assert_int_equal(shares.host + shares.device, BODIES);
        assert_true(shares.host && shares.device);
        assert_true(shares.host_seconds > 0 && shares.device_seconds > 0);
        expect_values(f, BODIES, shares.device);
        forget(f);
    }
}

static void rows_of_a_matrix(void **state) {
    fixture *f = *state;
    hd_remap_shares shares;
    f->of_unit = COLUMNS;
    make_values(f, ROWS * COLUMNS);
    assert_int_equal(hd_remap_transpose(&f->diag, ROWS, COLUMNS, 4, &f->map), HD_OK);
    assert_int_equal(share(f, true, 2, &shares), HD_OK);
    assert_int_equal(shares.host + shares.device, ROWS);
    expect_values(f, ROWS, shares.device);
    forget(f);
}

static void data_that_stays_on_the_device(void **state) {
    fixture *f = *state;
    hd_remap_shares shares;
    uint64_t changed = 0;
    f->of_unit = 3;
    make_values(f, BODIES * 3);
    assert_int_equal(hd_remap_layout(&f->diag, &counted_record, "soa", BODIES, &f->map), HD_OK);
    assert_int_equal(share(f, false, 1, &shares), HD_OK);
    for (uint64_t i = 0; i < BODIES * 3; i++)
        changed += f->values[i] != (float)(i % 997);
    assert_int_equal(changed, shares.host * 3);
    forget(f);
}

static void a_single_element(void **state) {
    fixture *f = *state;
    hd_remap_shares shares;
    f->of_unit = 3;
    make_values(f, 3);
    assert_int_equal(hd_remap_layout(&f->diag, &counted_record, "soa", 1, &f->map), HD_OK);
    hd_remap_work work = {f->map, f->values, true, on_host, on_device, f};
    atomic_store(&f->device_began, 1); /* whoever is first has it all */
    assert_int_equal(hd_remap_share(&f->diag, f->device, &work, 1, &shares), HD_OK);
    assert_int_equal(shares.host + shares.device, 1);
    expect_values(f, 1, shares.device);
    forget(f);
}

static void errors_of_either_side_end_both(void **state) {
    fixture *f = *state;
    hd_remap_shares shares;
    f->of_unit = 3;
    for (int who = 0; who < 2; who++) {
        make_values(f, BODIES * 3);
        f->host_status = who == 0 ? HD_EDIFFER : HD_OK;
        f->device_status = who == 1 ? HD_EDIFFER : HD_OK;
        assert_int_equal(hd_remap_layout(&f->diag, &counted_record, "soa", BODIES, &f->map), HD_OK);
        assert_int_equal(share(f, true, 1, &shares), HD_EDIFFER);
        assert_true(shares.host + shares.device < BODIES);
        assert_int_equal(f->last.count, 0); /* they have said what is wrong */
        forget(f);
    }
}

static void work_that_cannot_be_shared(void **state) {
    fixture *f = *state;
    f->of_unit = 1;
    make_values(f, 100);
    assert_int_equal(hd_remap_morton(&f->diag, 10, 10, 4, &f->map), HD_OK);
    assert_int_equal(share(f, true, 1, NULL), HD_EUNSUPPORTED);
    assert_says(f->last, "have slices");
    hd_remap_work work = {f->map, NULL, true, on_host, on_device, f};
    assert_int_equal(hd_remap_share(&f->diag, f->device, &work, 1, NULL), HD_EINPUT);
    forget(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_element_is_done_once),
        cmocka_unit_test(rows_of_a_matrix),
        cmocka_unit_test(data_that_stays_on_the_device),
        cmocka_unit_test(a_single_element),
        cmocka_unit_test(errors_of_either_side_end_both),
        cmocka_unit_test(work_that_cannot_be_shared),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
