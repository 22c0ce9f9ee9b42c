/*
 * Black-Scholes on an OpenCL device, compared with reference.c.
 *
 *     blackscholes [OPTIONS]
 *
 * The options are an array of structs. Compiled with -DLAID_OUT they lie on the device in the
 * layout for which `heddle apply` wrote the kernels and the header; the #ifdef blocks are all
 * that this takes.
 */
#include "../host.h"
#include "reference.h"

#ifdef LAID_OUT
#include "blackscholes.h"
#endif

static void fill(blackscholes_option *options, size_t count) {
    for (size_t i = 0; i < count; i++)
        options[i] = (blackscholes_option){.price = host_uniform(1, i, 5, 30),
                                           .strike = host_uniform(2, i, 1, 100),
                                           .years = host_uniform(3, i, 0.25, 10),
                                           .rate = host_uniform(4, i, 0.01, 0.05),
                                           .volatility = host_uniform(5, i, 0.1, 0.5)};
}

/* Prices the options on the device. */
static void price(host *h, blackscholes_option *options, size_t count) {
    cl_kernel kernel = host_kernel(h, "black_scholes");
    cl_int number = (cl_int)count;
    cl_uint argument = 0;

#ifdef LAID_OUT
    void *parts[option_allocations];
    cl_mem buffers[option_allocations];
    cl_ulong elements = count;
    for (int a = 0; a < option_allocations; a++)
        parts[a] = host_new(option_bytes(a, count));
    option_to_layout(options, parts, count);
    for (int a = 0; a < option_allocations; a++) {
        buffers[a] = host_buffer(h, parts[a], option_bytes(a, count));
        host_set(kernel, argument++, buffers[a]);
    }
    host_set(kernel, argument++, elements);
#else
    cl_mem buffer = host_buffer(h, options, count * sizeof *options);
    host_set(kernel, argument++, buffer);
#endif
    host_set(kernel, argument++, number);
    host_run(h, kernel, count, 256);

#ifdef LAID_OUT
    for (int a = 0; a < option_allocations; a++)
        host_take(h, buffers[a], parts[a], option_bytes(a, count));
    option_from_layout(parts, options, count);
    for (int a = 0; a < option_allocations; a++)
        free(parts[a]);
#else
    host_take(h, buffer, options, count * sizeof *options);
#endif
    clReleaseKernel(kernel);
}

int main(int argc, char **argv) {
    size_t count = host_size(argc, argv, 1048576);
    blackscholes_option *options = host_new(count * sizeof *options);
    blackscholes_option *expected = host_new(count * sizeof *expected);
    host h = host_open(KERNEL_FILE, "");

    fill(options, count);
    fill(expected, count);
    price(&h, options, count);
    blackscholes_price(expected, (int)count);
    for (size_t i = 0; i < count; i++) {
        host_expect("call", i, options[i].call, expected[i].call, 1e-5, 5e-5);
        host_expect("put", i, options[i].put, expected[i].put, 1e-5, 5e-5);
    }
    host_report(&h, "options", count);
    host_close(&h);
    free(options);
    free(expected);
    return 0;
}
