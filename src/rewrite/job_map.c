/* The job that goes with kernels whose threads are mapped (thread_map.h). */
#include "kernel/kernel.h"
#include "map_text.h"
#include "rewrite/thread_map.h"

/* ---- which order is for which launch ------------------------------------------------------ */

static bool same_arg(const hd_arg *a, const hd_arg *b) {
    const hd_spot *x = a->from, *y = b->from;
    bool same_spot = x == y || (x && y && x->buffer == y->buffer && x->element == y->element &&
                                x->offset == y->offset);
    return a->kind == b->kind && a->param == b->param && a->variable == b->variable &&
           a->buffer == b->buffer && a->offset == b->offset && a->local_bytes == b->local_bytes &&
           same_spot && a->value_bytes == b->value_bytes &&
           (!a->value_bytes || !a->value || !b->value ||
            !memcmp(a->value, b->value, a->value_bytes));
}

bool hd_launches_alike(const hd_launch *a, const hd_launch *b) {
    bool same = !strcmp(a->kernel_name, b->kernel_name) && a->dims == b->dims &&
                a->arg_count == b->arg_count && a->shared == b->shared;
    for (uint32_t d = 0; d < a->dims && same; d++)
        same = a->global[d] == b->global[d] && a->local[d] == b->local[d] &&
               a->offset[d] == b->offset[d];
    for (uint32_t i = 0; i < a->arg_count && same; i++)
        same = same_arg(&a->args[i], &b->args[i]);
    return same;
}

const hd_launch_order *hd_map_order_of(const hd_job *job, const hd_order_file *file,
                                       uint32_t launch, uint64_t *first) {
    uint32_t o = 0;
    while (o < file->order_count && file->orders[o].launch != launch)
        o++;
    if (o == file->order_count)
        for (o = 0; o < file->order_count; o++)
            if (hd_launches_alike(&job->launches[file->orders[o].launch], &job->launches[launch]))
                break;
    *first = HD_MAP_NONE;
    if (o == file->order_count)
        return NULL;
    *first = 0;
    for (uint32_t before = 0; before < o; before++)
        *first += file->orders[before].threads;
    return &file->orders[o];
}

uint64_t hd_map_numbers(const hd_order_file *file, uint32_t *numbers) {
    uint64_t count = 0;
    for (uint32_t o = 0; o < file->order_count; o++) {
        if (numbers)
            memcpy(numbers + count, file->orders[o].order,
                   (size_t)file->orders[o].threads * sizeof *numbers);
        count += file->orders[o].threads;
    }
    return count;
}

/* ---- whether they fit ------------------------------------------------------ */

static hd_status check_order(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             const hd_launch_order *order) {
    const hd_place *place = &order->place;
    if (order->launch >= job->launch_count)
        return hd_fail(diag, HD_EINPUT, place,
                       "the job has %u launches, which count from 0, and no launch %u; make the "
                       "map for this job",
                       job->launch_count, order->launch);
    const hd_launch *launch = &job->launches[order->launch];
    if (!kir_names_kernel(launch->kernel->name, order->kernel))
        return hd_fail(diag, HD_EINPUT, place,
                       "launch %u of the job runs '%s', not '%s'; make the map for this job",
                       order->launch, launch->kernel->name, order->kernel);
    hd_grid grid = hd_grid_of(launch->dims, launch->global, launch->local);
    if (grid.block_count * grid.block_threads != order->threads ||
        grid.block_threads != order->block_threads)
        return hd_fail(diag, HD_EINPUT, place,
                       "launch %u of the job has %llu threads in blocks of %llu, and this order "
                       "%u in blocks of %u; make the map for these sizes",
                       order->launch, (unsigned long long)(grid.block_count * grid.block_threads),
                       (unsigned long long)grid.block_threads, order->threads,
                       order->block_threads);
    if (launch->items_from)
        return hd_fail(diag, HD_EINPUT, place,
                       "how many threads launch %u has is read while the job runs, so no order of "
                       "them can be given",
                       order->launch);
    kir_value at;
    const char *why = hd_threads_stay_together(launch->kernel, &at);
    if (!why || hd_order_keeps_blocks(order->order, order->threads, order->block_threads))
        return HD_OK;
    hd_place shown = at == KIR_NONE ? launch->kernel->place
                                    : kir_place(arena, job->module, &launch->kernel->insts[at]);
    hd_fail(diag, HD_EINPUT, place,
            "this order moves threads between blocks, and the threads of a block of '%s' belong "
            "together: %s; only whole blocks may move",
            launch->kernel->name, why);
    hd_note(diag, &shown, "here");
    return HD_EINPUT;
}

hd_status hd_map_check(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                       const hd_order_file *file) {
    hd_status status = HD_OK;
    for (uint32_t o = 0; o < file->order_count && status == HD_OK; o++) {
        status = check_order(arena, diag, job, &file->orders[o]);
        for (uint32_t before = 0; before < o && status == HD_OK; before++)
            if (file->orders[before].launch == file->orders[o].launch)
                status = hd_fail(diag, HD_EINPUT, &file->orders[o].place,
                                 "launch %u has two orders; leave one", file->orders[o].launch);
    }
    return status;
}

hd_status hd_rewrite_job_map(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                             const hd_order_file *file, const char *path, const char *options,
                             hd_rewritten **result) {
    hd_vec(hd_mapped_kernel) kernels = {0};
    hd_status status = hd_map_check(arena, diag, job, file);
    for (uint32_t o = 0; o < file->order_count && status == HD_OK; o++) {
        const hd_launch_order *order = &file->orders[o];
        const kir_kernel *kernel = job->launches[order->launch].kernel;
        bool keeps = hd_threads_stay_together(kernel, NULL) ||
                     hd_order_keeps_blocks(order->order, order->threads, order->block_threads);
        hd_mapped_kernel *known = NULL;
        for (size_t k = 0; k < kernels.count; k++)
            if (!strcmp(kernels.data[k].name, kernel->name))
                known = &kernels.data[k];
        if (known)
            known->whole_blocks &= keeps;
        else
            hd_push(arena, &kernels, (hd_mapped_kernel){kernel->name, keeps});
    }
    const hd_thread_map_request request = {.path = path ? path : job->kernel_path,
                                           .options = path ? options : job->options,
                                           .kernels = kernels.data,
                                           .kernel_count = (uint32_t)kernels.count};
    if (status == HD_OK)
        status = hd_rewrite_thread_map(arena, diag, &request, result);
    if (status == HD_OK)
        (*result)->orders = file;
    return status;
}

void *hd_job_map(const hd_job *mapped) {
    return (void *)mapped->buffers[mapped->buffer_count - 1].bytes;
}

const char *hd_map_host_header(hd_arena *arena, const hd_job *job, const hd_order_file *file) {
    hd_str out = {.arena = arena}, rows = {.arena = arena};
    bool is_cuda = job->module && job->module->device && !strcmp(job->module->device, "cuda");
    uint32_t count = 0;
    for (uint32_t l = 0; l < job->launch_count; l++) {
        uint64_t first;
        const hd_launch_order *order = hd_map_order_of(job, file, l, &first);
        if (!order)
            continue;
        hd_str_printf(&rows, "    {%u, %lluu, %u, %u, \"%s\"},\n", l, (unsigned long long)first,
                      order->threads, order->block_threads, job->launches[l].kernel_name);
        count++;
    }
    unsigned long long numbers = hd_map_numbers(file, NULL);
    rw_add_text(&out, "map.start", NULL);
    rw_add_text(&out, is_cuda ? "map.cuda" : "map.opencl", NULL);
    rw_add_text(&out, "map.functions", "numbers", hd_format(arena, "%llu", numbers), "launches",
                hd_format(arena, "%u", count), "rows", hd_str_text(&rows), NULL);
    return hd_str_text(&out);
}
