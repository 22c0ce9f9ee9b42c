/*
 * Checking rewritten kernels on the machine.
 *
 * The rewriter follows every pointer, and refuses what it cannot follow; this is the second
 * pair of eyes. The machine runs both versions on the same contents and checks every access
 * on the way, so a field that goes to a wrong place is found even where no result shows it.
 */
#include "advise/verify.h"

#include "frontend/frontend.h"
#include "rewrite/thread_map.h"

typedef struct verifier {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job *job;
    const hd_vm_options *options;
} verifier;

/* ---- contents --------------------------------------------------------------------- */

/* Small numbers: an index among them stays inside most buffers. */
static void fill_randomly(hd_arena *arena, const hd_buffer *buffer, uint64_t seed, void *bytes) {
    uint32_t count;
    const hd_leaf *leaves = hd_leaves_of_buffer(arena, buffer, NULL, &count);
    for (uint64_t e = 0; e < buffer->count; e++)
        for (uint32_t l = 0; l < count; l++) {
            const hd_leaf *leaf = &leaves[l];
            unsigned char *at = (unsigned char *)bytes + e * buffer->element_bytes + leaf->offset;
            for (uint32_t lane = 0; !leaf->opaque && lane < leaf->type.lanes; lane++) {
                uint64_t random = hd_next_random(&seed);
                double value = leaf->type.kind == KIR_FLOAT ? (double)(random >> 11) * 0x1p-53
                                                            : (double)(random % 64);
                hd_type_put(leaf->type, value, at + lane * (leaf->type.bits / 8));
            }
        }
}

/* ---- runs --------------------------------------------------------------------------- */

/* Random numbers may make a loop endless; no honest block gets so far. */
enum { MOST_RANDOM_INSTRUCTIONS = 100000000 };

/* Runs a job from `before`, and copies what its buffers hold then to `after`. */
static hd_status run_job(const verifier *v, const hd_diag *diag, const hd_job *job,
                         void *const *before, void **after, uint64_t *lane_accesses) {
    uint64_t most = v->options->max_instructions;
    const hd_vm_options options = {.workers = v->options->workers,
                                   .max_instructions =
                                       most || diag->fn ? most : MOST_RANDOM_INSTRUCTIONS,
                                   .progress = v->options->progress,
                                   .user = v->options->user};
    hd_vm *vm;
    *lane_accesses = 0;
    hd_status status = hd_vm_open(v->arena, diag, job, before, &options, &vm);
    if (status != HD_OK)
        return status;
    hd_vm_counts counts;
    status = hd_vm_run_all(vm, NULL, NULL, UINT64_MAX, NULL, &counts);
    *lane_accesses = counts.lane_accesses;
    if (status == HD_OK)
        hd_vm_copy_contents(v->arena, vm, after);
    hd_vm_close(vm);
    return status;
}

static hd_status run_original(const verifier *v, void **before, void **after, hd_verified *result) {
    static const hd_diag silent = {NULL, NULL};
    hd_status status = hd_job_all_contents(v->arena, v->diag, v->job, before);
    if (status != HD_OK)
        return status;
    bool is_recorded = v->job->origin_count > 0;
    for (uint32_t b = 0; b < v->job->buffer_count; b++)
        is_recorded |= v->job->buffers[b].file || v->job->buffers[b].bytes;
    for (uint32_t b = 0; b < v->job->buffer_count; b++) {
        const hd_buffer *buffer = &v->job->buffers[b];
        if (is_recorded || buffer->init_count) /* what a program had in memory is all known */
            continue;
        fill_randomly(v->arena, buffer, b, before[b]);
        result->random = true;
    }
    uint64_t *accesses = &result->lane_accesses;
    if (result->random && run_job(v, &silent, v->job, before, after, accesses) == HD_OK)
        return HD_OK;
    if (result->random)
        status = hd_job_all_contents(v->arena, v->diag, v->job, before);
    result->random = false;
    if (status == HD_OK)
        status = run_job(v, v->diag, v->job, before, after, accesses);
    if (status != HD_OK)
        hd_note(v->diag, NULL,
                "the kernels do not run on the machine as they are, so the rewritten ones cannot "
                "be compared with them; give the job contents that they run on, or leave the check "
                "out");
    return status;
}

/* Threads in another order add up in another order. */
static bool has_atomics(const hd_job *job) {
    for (uint32_t l = 0; l < job->launch_count; l++)
        for (kir_value v = 0; v < job->launches[l].kernel->inst_count; v++)
            if (job->launches[l].kernel->insts[v].op == KIR_ATOMIC)
                return true;
    return false;
}

hd_status hd_place_rewritten(hd_rewritten_view *view, const hd_job *job,
                             const hd_record_layout *layouts, uint32_t layout_count,
                             hd_placed_job **placed) {
    hd_arena *arena = view->arena;
    const hd_diag diag = {hd_rewritten_tell, view};
    const char *path;
    char *folder;
    kir_module *module;
    hd_status status = hd_scratch_make(arena, view->diag, &folder);
    view->folder = folder;
    if (status == HD_OK)
        status = hd_rewritten_store(arena, view->diag, view->rewritten, folder, &path);
    if (status == HD_OK)
        status = hd_frontend_of(arena, &diag, path,
                                hd_job_front_options(arena, job, view->rewritten->options),
                                job->module->form, NULL, &module);
    hd_scratch_remove(folder);
    if (status == HD_OK)
        status = hd_job_in_layout(arena, &diag, job, layouts, layout_count, view->rewritten->orders,
                                  module, placed);
    return status;
}

hd_status hd_verify(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                    const hd_record_layout *layouts, uint32_t layout_count,
                    const hd_rewritten *rewritten, const hd_vm_options *options,
                    hd_verified *result) {
    const verifier v = {arena, diag, job, options};
    void **before = hd_new_array(arena, void *, job->buffer_count);
    void **originally = hd_new_array(arena, void *, job->buffer_count);
    void **after = hd_new_array(arena, void *, job->buffer_count);
    hd_rewritten_view view = {arena, diag, rewritten, NULL};
    const hd_diag viewed = {hd_rewritten_tell, &view};
    hd_placed_job *placed;
    *result = (hd_verified){0};
    hd_status status = run_original(&v, before, originally, result);
    result->ran = status == HD_OK;
    if (status == HD_OK)
        status = hd_place_rewritten(&view, job, layouts, layout_count, &placed);
    if (status != HD_OK)
        return status;
    result->job = placed->job;
    void **inputs = hd_new_array(arena, void *, placed->job->buffer_count);
    void **outputs = hd_new_array(arena, void *, placed->job->buffer_count);
    uint64_t accesses;
    hd_placed_scatter(arena, placed, before, inputs);
    if (rewritten->orders)
        inputs[placed->job->buffer_count - 1] = hd_job_map(placed->job);
    status = run_job(&v, &viewed, placed->job, inputs, outputs, &accesses);
    if (status == HD_EINPUT)
        hd_note(diag, NULL,
                "the original runs through, so the rewritten kernels do something else: either "
                "the original reaches beyond a field or an array of one element, which only its "
                "layout makes harmless, or this is a fault of the rewriter; please report that");
    if (status != HD_OK)
        return status;
    hd_placed_gather(arena, placed, outputs, after);
    hd_job exact = *job; /* the machine does the same operations in the same order */
    if (!rewritten->orders || !has_atomics(job))
        exact.relative = exact.absolute = 0;
    bool equal, bit_equal;
    const bool *written = hd_job_written(arena, job);
    for (uint32_t b = 0; b < job->buffer_count && result->lane_accesses; b++)
        result->bytes += written[b] ? job->buffers[b].count * job->buffers[b].element_bytes : 0;
    return hd_contents_compare(arena, diag, &exact, &(hd_contents){"originally", originally},
                               &(hd_contents){"rewritten", after}, &equal, &bit_equal);
}

/* ---- kernels that the job leaves out ------------------------------------------------------ */

const hd_record *hd_verify_record(const kir_kernel *kernel, const hd_record_layout *layouts,
                                  uint32_t layout_count) {
    for (uint32_t p = 0; p < kernel->param_count; p++)
        for (uint32_t l = 0; l < layout_count; l++)
            if (kernel->params[p].record && !kernel->params[p].by_value_struct &&
                kernel->params[p].record == hd_record_declared(layouts[l].record))
                return kernel->params[p].record;
    return NULL;
}

hd_status hd_verify_covers(const hd_diag *diag, const hd_job *job, const hd_record_layout *layouts,
                           uint32_t layout_count) {
    hd_status status = HD_OK;
    for (uint32_t k = 0; k < job->module->kernel_count; k++) {
        const kir_kernel *kernel = job->module->kernels[k];
        const hd_record *taken = hd_verify_record(kernel, layouts, layout_count);
        for (uint32_t l = 0; l < job->launch_count; l++)
            if (job->launches[l].kernel == kernel)
                taken = NULL;
        if (taken)
            status = hd_fail(diag, HD_EINPUT, &kernel->place,
                             "kernel '%s' takes '%s', too, but the job never launches it: it would "
                             "be rewritten without being priced or checked; add a launch of it",
                             kernel->name, taken->name);
    }
    return status;
}
