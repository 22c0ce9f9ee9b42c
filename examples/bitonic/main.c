/*
 * Bitonic sort on an OpenCL device, compared with reference.c.
 *
 *     bitonic [ELEMENTS]     a power of two
 *
 * The elements are an array of structs. Compiled with -DLAID_OUT they lie on the device in the
 * layout for which `heddle apply` wrote the kernels and the header; the #ifdef blocks are all
 * that this takes.
 */
#include "../host.h"
#include "reference.h"

#ifdef LAID_OUT
#include "bitonic.h"
#endif

/* Keys are a permutation of 0 .. count - 1. */
static void fill(bitonic_element *elements, size_t count) {
    for (size_t i = 0; i < count; i++)
        elements[i] = (bitonic_element){.key = (uint32_t)i,
                                        .first = host_whole(2, i, 0, 1000000),
                                        .second = host_whole(3, i, 0, 1000000),
                                        .third = (uint32_t)i};
    for (size_t i = count - 1; i > 0; i--) {
        size_t j = host_bits(1, count - 1 - i) % (i + 1);
        uint32_t key = elements[i].key;
        elements[i].key = elements[j].key;
        elements[j].key = key;
    }
}

/* The stages of the network; `argument` is the kernel's first behind the elements. */
static void run_stages(host *h, cl_kernel kernel, cl_uint argument, size_t count) {
    for (cl_uint block = 2; block <= count; block *= 2)
        for (cl_uint distance = block / 2; distance >= 1; distance /= 2) {
            host_set(kernel, argument, block);
            host_set(kernel, argument + 1, distance);
            host_run(h, kernel, count / 2, count / 2 < 256 ? count / 2 : 256);
        }
}

/* Sorts the elements on the device. */
static void sort(host *h, bitonic_element *elements, size_t count) {
    cl_kernel kernel = host_kernel(h, "stage");
    cl_uint argument = 0;

#ifdef LAID_OUT
    void *parts[element_allocations];
    cl_mem buffers[element_allocations];
    cl_ulong number = count;
    for (int a = 0; a < element_allocations; a++)
        parts[a] = host_new(element_bytes(a, count));
    element_to_layout(elements, parts, count);
    for (int a = 0; a < element_allocations; a++) {
        buffers[a] = host_buffer(h, parts[a], element_bytes(a, count));
        host_set(kernel, argument++, buffers[a]);
    }
    host_set(kernel, argument++, number);
#else
    cl_mem buffer = host_buffer(h, elements, count * sizeof *elements);
    host_set(kernel, argument++, buffer);
#endif
    run_stages(h, kernel, argument, count);

#ifdef LAID_OUT
    for (int a = 0; a < element_allocations; a++)
        host_take(h, buffers[a], parts[a], element_bytes(a, count));
    element_from_layout(parts, elements, count);
    for (int a = 0; a < element_allocations; a++)
        free(parts[a]);
#else
    host_take(h, buffer, elements, count * sizeof *elements);
#endif
    clReleaseKernel(kernel);
}

int main(int argc, char **argv) {
    size_t count = host_size(argc, argv, 65536);
    bitonic_element *elements = host_new(count * sizeof *elements);
    bitonic_element *expected = host_new(count * sizeof *expected);
    if (count < 2 || (count & (count - 1))) {
        fprintf(stderr, "%zu elements, but the network needs a power of two from 2 on\n", count);
        return 2;
    }
    host h = host_open(KERNEL_FILE, "");

    fill(elements, count);
    fill(expected, count);
    sort(&h, elements, count);
    bitonic_sort(expected, count);
    for (size_t i = 0; i < count; i++) {
        host_expect("key", i, elements[i].key, expected[i].key, 0, 0);
        host_expect("first", i, elements[i].first, expected[i].first, 0, 0);
        host_expect("second", i, elements[i].second, expected[i].second, 0, 0);
        host_expect("third", i, elements[i].third, expected[i].third, 0, 0);
    }
    host_report(&h, "elements", count);
    host_close(&h);
    free(elements);
    free(expected);
    return 0;
}
