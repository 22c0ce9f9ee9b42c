/* Rewrites a program, runs both versions on the machine, and compares. */
#include <unistd.h>

#include "advise/verify.h"
#include "frontend/frontend.h"
#include "rewrite/rewrite.h"
#include "fuzz/rewrites/rewrites.h"

static const char *const files[] = {"kernels.cl", "records.h", "job.yaml", "layouts.txt"};
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
        hd_str_printf(&text[3], "%s=%s\n", p->records.data[i], p->layouts.data[i]);
    for (int i = 0; i < FILES; i++)
        outputs[i] = (hd_output){hd_format(arena, "%s/%s", folder, files[i]), hd_str_text(&text[i]),
                                 text[i].length};
    hd_write_files(NULL, outputs, FILES);
}

void remove_program(hd_arena *arena, const char *folder) {
    for (int i = 0; i < FILES; i++)
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

static hd_status read_layouts(hd_arena *arena, const hd_diag *diag, const hd_job *job,
                              const program *p, hd_record_layout *layouts) {
    for (size_t i = 0; i < p->layouts.count; i++) {
        const hd_record *found = kir_find_record(job->module, p->records.data[i]);
        hd_layout *layout = NULL;
        if (!found)
            return hd_fail(diag, HD_EINPUT, NULL, "there is no record '%s'", p->records.data[i]);
        hd_status status = hd_layout_parse(arena, diag, found, p->layouts.data[i], &layout);
        if (status != HD_OK)
            return status;
        layouts[i] = (hd_record_layout){found, layout};
    }
    return HD_OK;
}

verdict check_program(const char *folder, const program *p, hd_str *told) {
    hd_arena *arena = hd_arena_new();
    const hd_diag diag = {tell, told};
    const hd_vm_options options = {.workers = 1};
    uint32_t count = (uint32_t)p->layouts.count;
    hd_record_layout *layouts = hd_new_array(arena, hd_record_layout, count);
    hd_job *job;
    hd_rewritten *rewritten;
    hd_verified result;
    verdict found = NOT_RUN;
    if (load(arena, &diag, folder, &job) == HD_OK &&
        read_layouts(arena, &diag, job, p, layouts) == HD_OK) {
        found = REFUSED;
        if (hd_rewrite_job(arena, &diag, job, layouts, count, &rewritten) == HD_OK) {
            hd_status status =
                hd_verify(arena, &diag, job, layouts, count, rewritten, &options, &result);
            found = status == HD_OK ? SAME : DIFFERENT;
        }
    }
    hd_arena_free(arena);
    return found;
}
