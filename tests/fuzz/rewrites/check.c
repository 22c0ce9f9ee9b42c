/* Rewrites a program, for layouts and for orders of its threads, runs all versions on the machine,
 * and compares. */
#include <unistd.h>

#include "advise/verify.h"
#include "frontend/frontend.h"
#include "rewrite/thread_map.h"
#include "fuzz/rewrites/rewrites.h"

static const char *const files[] = {"kernels.cl", "records.h", "job.yaml", "layouts.txt",
                                    "kernels.cu"};
enum { FILES = 4 };

void write_program(hd_arena *arena, const char *folder, const program *p) {
    hd_str text[FILES];
    hd_output outputs[FILES];
    for (int i = 0; i < FILES; i++)
        text[i] = (hd_str){.arena = arena};
    fuzz_print(&text[0], p->source);
    if (p->header)
        fuzz_print(&text[1], p->header);
    hd_str_add(&text[2], p->job);
    for (size_t i = 0; i < p->layouts.count; i++)
        if (p->layouts.data[i])
            hd_str_printf(&text[3], "%s=%s\n", p->records.data[i], p->layouts.data[i]);
    for (int i = 0; i < FILES; i++)
        outputs[i] =
            (hd_output){hd_format(arena, "%s/%s", folder, files[i || !p->cuda ? i : FILES]),
                        hd_str_text(&text[i]), text[i].length};
    hd_write_files(NULL, outputs, FILES);
}

void remove_program(hd_arena *arena, const char *folder) {
    for (int i = 0; i <= FILES; i++)
        unlink(hd_format(arena, "%s/%s", folder, files[i]));
    rmdir(folder);
}

static void tell(const hd_message *m, void *user) {
    if (m->severity == HD_ERROR)
        hd_str_printf(user, "  %s:%u: %s\n", m->place.file ? m->place.file : "-", m->place.line,
                      m->text);
}

static hd_status load(hd_arena *arena, const hd_diag *diag, const char *folder, hd_job **job) {
    kir_module *module;
    hd_status status = hd_job_read(arena, diag, hd_format(arena, "%s/job.yaml", folder), job);
    if (status == HD_OK)
        status = hd_frontend(arena, diag, (*job)->kernel_path, (*job)->options, &module);
    return status == HD_OK ? hd_job_resolve(arena, diag, *job, module) : status;
}

/* ---- layouts ----------------------------------------------------------------------- */

static uint32_t below(program *p, uint32_t limit) {
    return (uint32_t)(hd_next_random(&p->random) >> 32) % limit;
}

static hd_layout *random_layout(hd_arena *arena, program *p, const hd_record *of) {
    static const uint64_t tiles_of[] = {1, 1, 2, 4, 16, 64, HD_TILE_SOA};
    uint64_t masks[HD_MAX_FIELDS] = {0}, tiles[HD_MAX_FIELDS];
    uint32_t clusters = 1 + below(p, of->field_count), count = 0;
    for (uint32_t f = 0; f < of->field_count; f++)
        masks[below(p, clusters)] |= (uint64_t)1 << f;
    for (uint32_t c = 0; c < clusters; c++)
        if (masks[c]) {
            masks[count] = masks[c];
            tiles[count++] = tiles_of[below(p, 7)];
        }
    hd_layout *layout = hd_layout_of_masks(arena, masks, tiles, count, below(p, 3) == 0);
    for (uint32_t c = 0; c < layout->count; c++) {
        hd_cluster *cluster = &layout->clusters[c], as_it_was = *cluster;
        cluster->tile = HD_TILE_AOS;
        cluster->padded = true;
        if (below(p, 3) == 0 || hd_layout_check(NULL, of, layout) != HD_OK)
            *cluster = as_it_was;
    }
    return layout;
}

static const hd_record *record_named(const hd_job *job, const char *name) {
    bool first = !strcmp(job->record->name, name);
    return first ? job->record : kir_find_record(job->module, name);
}

/* Of one record at least. */
static void choose_layouts(hd_arena *arena, program *p, const hd_job *job) {
    uint32_t always = below(p, (uint32_t)p->records.count);
    for (uint32_t i = 0; i < p->records.count; i++) {
        const hd_record *of = record_named(job, p->records.data[i]);
        const char *text = NULL;
        if (i == always || below(p, 4))
            text = hd_layout_print_long(arena, of, random_layout(arena, p, of));
        hd_push(arena, &p->layouts, text);
    }
}

static hd_status read_layouts(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                              const program *p, hd_record_layout *layouts, uint32_t *count) {
    for (size_t i = 0; i < p->layouts.count; i++) {
        const hd_record *of = record_named(job, p->records.data[i]);
        hd_layout *layout = NULL;
        if (!p->layouts.data[i])
            continue;
        hd_status status = hd_layout_parse(arena, diag, of, p->layouts.data[i], &layout);
        if (status != HD_OK)
            return status;
        layouts[(*count)++] = (hd_record_layout){of, layout};
    }
    return HD_OK;
}

/* ---- orders of threads ---------------------------------------------------------------- */

/* Of threads, or of blocks, as the kernel allows; of most launches. */
static hd_order_file random_orders(hd_arena *arena, const hd_job *job, uint64_t seed) {
    hd_order_file file = {hd_new_array(arena, hd_launch_order, job->launch_count), 0};
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        uint32_t threads = (uint32_t)launch->global[0], block = (uint32_t)launch->local[0];
        bool whole =
            hd_threads_stay_together(launch->kernel, NULL) || hd_next_random(&seed) % 5 == 0;
        uint32_t unit = whole ? block : 1, count = threads / unit;
        uint32_t *order = hd_new_array(arena, uint32_t, threads);
        if (l && hd_next_random(&seed) % 4 == 0)
            continue;
        for (uint32_t u = 0; u < count;
             u++) { /* the first thread of each unit, at its first place */
            uint32_t other = (uint32_t)(hd_next_random(&seed) % (u + 1));
            order[u * unit] = order[other * unit];
            order[other * unit] = u * unit;
        }
        for (uint32_t p = 0; p < threads; p++)
            order[p] = order[p - p % unit] + p % unit;
        file.orders[file.order_count++] = (hd_launch_order){.kernel = launch->kernel->name,
                                                            .launch = l,
                                                            .threads = threads,
                                                            .block_threads = block,
                                                            .whole_blocks = whole,
                                                            .order = order};
    }
    return file;
}

static verdict check_map(hd_arena *arena, const hd_diag *diag, const hd_job *job, uint64_t seed) {
    const hd_vm_options options = {.workers = 1};
    hd_order_file orders = random_orders(arena, job, seed);
    hd_rewritten *rewritten;
    hd_verified result;
    if (hd_rewrite_job_map(arena, diag, job, &orders, NULL, NULL, &rewritten) != HD_OK)
        return REFUSED;
    return hd_verify(arena, diag, job, NULL, 0, rewritten, &options, &result) == HD_OK ? SAME
                                                                                    : DIFFERENT;
}

/* ---- all versions --------------------------------------------------------------------- */

verdict check_program(hd_arena *keep, const char *folder, program *p, hd_str *told) {
    hd_arena *arena = hd_arena_new();
    const hd_diag diag = {tell, told};
    const hd_vm_options options = {.workers = 1};
    hd_record_layout *layouts = hd_new_array(arena, hd_record_layout, p->records.count);
    uint32_t count = 0;
    hd_job *job;
    hd_rewritten *rewritten;
    hd_verified result;
    verdict found = NOT_RUN;
    bool loaded = load(arena, &diag, folder, &job) == HD_OK;
    if (loaded && !p->layouts.count)
        choose_layouts(keep, p, job);
    if (loaded && read_layouts(arena, &diag, job, p, layouts, &count) == HD_OK) {
        found = REFUSED;
        if (hd_rewrite_job(arena, &diag, job, layouts, count, &rewritten) == HD_OK) {
            hd_status status =
                hd_verify(arena, &diag, job, layouts, count, rewritten, &options, &result);
            found = status == HD_OK ? SAME : DIFFERENT;
        }
        if (found == SAME)
            found = check_map(arena, &diag, job, p->random);
    }
    hd_arena_free(arena);
    return found;
}
