/* The job that goes with kernels whose threads are mapped (thread_map.h). */
#include "kernel/kernel.h"
#include "rewrite/thread_map.h"

static const char map_name[] = "heddle_map", first_name[] = "heddle_map_first";

/* ---- which order is for which launch ------------------------------------------------------ */

static bool same_spot(const hd_spot *a, const hd_spot *b) {
    return a == b ||
           (a && b && a->buffer == b->buffer && a->element == b->element && a->offset == b->offset);
}

static bool same_arg(const hd_arg *a, const hd_arg *b) {
    return a->kind == b->kind && a->param == b->param && a->variable == b->variable &&
           a->buffer == b->buffer && a->offset == b->offset && a->local_bytes == b->local_bytes &&
           same_spot(a->from, b->from) && a->value_bytes == b->value_bytes &&
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

static uint32_t order_number(const hd_job *job, const hd_order_file *file, uint32_t launch) {
    for (uint32_t o = 0; o < file->order_count; o++)
        if (file->orders[o].launch == launch)
            return o;
    for (uint32_t o = 0; o < file->order_count; o++)
        if (hd_launches_alike(&job->launches[file->orders[o].launch], &job->launches[launch]))
            return o;
    return UINT32_MAX;
}

const hd_launch_order *hd_map_order_of(const hd_job *job, const hd_order_file *file,
                                       uint32_t launch, uint64_t *first) {
    uint32_t o = order_number(job, file, launch);
    *first = HD_MAP_NONE;
    if (o == UINT32_MAX)
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

/* ---- the kernels ------------------------------------------------------ */

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

/* ---- the job ------------------------------------------------------ */

/* All launches of a kernel have its parameters. */
static bool is_mapped(const hd_job *job, const hd_order_file *file, const hd_launch *launch) {
    for (uint32_t o = 0; o < file->order_count; o++)
        if (!strcmp(job->launches[file->orders[o].launch].kernel_name, launch->kernel_name))
            return true;
    return false;
}

/* Variables are found by their names, since their numbers may be others. */
static void tie_variables(hd_launch *launch) {
    for (uint32_t a = 0; a < launch->arg_count && launch->kernel; a++)
        for (uint32_t s = 0; s < launch->kernel->static_count; s++)
            if (launch->args[a].param == KIR_NONE &&
                !strcmp(launch->kernel->statics[s].name, launch->args[a].name))
                launch->args[a].variable = s;
}

/* The map and `first`, behind the launch's own arguments. */
static void add_arguments(hd_arena *arena, hd_launch *launch, uint32_t buffer, uint32_t first) {
    uint32_t count = launch->arg_count, param = 0;
    hd_arg *args = hd_new_array(arena, hd_arg, count + 2);
    memcpy(args, launch->args, count * sizeof *args);
    for (uint32_t a = 0; a < count; a++)
        param += args[a].param != KIR_NONE;
    args[count] = (hd_arg){.name = map_name,
                           .kind = HD_ARG_BUFFER,
                           .buffer_name = map_name,
                           .place = launch->place,
                           .param = param,
                           .buffer = buffer};
    args[count + 1] = (hd_arg){.name = first_name,
                               .kind = HD_ARG_VALUE,
                               .value_text = hd_format(arena, "%u", first),
                               .place = launch->place,
                               .param = param + 1,
                               .value = hd_alloc(arena, sizeof first),
                               .value_bytes = sizeof first};
    memcpy(args[count + 1].value, &first, sizeof first);
    launch->args = args;
    launch->arg_count = count + 2;
}

hd_status hd_job_with_map(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                          const hd_order_file *file, const kir_module *module, hd_job **mapped) {
    uint64_t count = hd_map_numbers(file, NULL);
    if (count >= HD_MAP_NONE)
        return hd_fail(diag, HD_EUNSUPPORTED, &(hd_place){.file = job->path},
                       "the orders are %llu numbers together, and one buffer takes %u at most; map "
                       "fewer launches",
                       (unsigned long long)count, HD_MAP_NONE - 1);
    uint32_t *numbers = hd_new_array(arena, uint32_t, count);
    hd_map_numbers(file, numbers);
    hd_job *to = hd_new(arena, hd_job);
    *to = *job;
    to->module = module;
    to->buffers = hd_new_array(arena, hd_buffer, job->buffer_count + 1);
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        hd_buffer *buffer = &to->buffers[b];
        *buffer = job->buffers[b];
        const hd_record *same =
            module && buffer->record ? kir_find_record(module, buffer->record->name) : NULL;
        buffer->record = same ? same : buffer->record;
    }
    to->buffers[to->buffer_count++] = (hd_buffer){.name = map_name,
                                                  .type = "uint",
                                                  .count = count,
                                                  .bytes = numbers,
                                                  .scalar = {KIR_INT, 32, 1, 0},
                                                  .element_bytes = sizeof *numbers};
    to->launches = hd_new_array(arena, hd_launch, job->launch_count);
    for (uint32_t l = 0; l < job->launch_count; l++) {
        hd_launch *launch = &to->launches[l];
        *launch = job->launches[l];
        launch->kernel = module ? kir_find_kernel(module, launch->kernel_name) : NULL;
        launch->args = hd_new_array(arena, hd_arg, launch->arg_count);
        memcpy(launch->args, job->launches[l].args, launch->arg_count * sizeof *launch->args);
        tie_variables(launch);
        uint64_t first;
        hd_map_order_of(job, file, l, &first);
        if (is_mapped(job, file, launch))
            add_arguments(arena, launch, job->buffer_count, (uint32_t)first);
        uint32_t given = 0;
        for (uint32_t a = 0; a < launch->arg_count; a++)
            given += launch->args[a].param != KIR_NONE;
        if (module && (!launch->kernel || launch->kernel->param_count != given))
            return hd_fail(diag, HD_EINPUT, &launch->place,
                           "the rewritten kernels have no '%s' of %u parameters; rewrite them for "
                           "these orders",
                           launch->kernel_name, given);
    }
    *mapped = to;
    return HD_OK;
}

hd_status hd_job_rewritten(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                           const hd_record_layout *layouts, uint32_t layout_count,
                           const hd_rewritten *rewritten, const kir_module *module,
                           hd_placed_job **placed) {
    const hd_order_file *orders = rewritten ? rewritten->orders : NULL;
    hd_status status =
        hd_job_in_layout(arena, diag, job, layouts, layout_count, orders ? NULL : module, placed);
    return status == HD_OK && orders
               ? hd_job_with_map(arena, diag, (*placed)->job, orders, module, &(*placed)->job)
               : status;
}

void *hd_job_map(const hd_job *mapped) {
    return (void *)mapped->buffers[mapped->buffer_count - 1].bytes;
}
