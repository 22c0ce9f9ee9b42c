/* From jobs to traces on disk. */
#include "reuse/traces.h"
#include "shared/run_job.h"

static const hd_trace_header header = {.spaces = 1u << KIR_GLOBAL};

hd_status write_trace(const hd_diag *diag, const char *name, const char *path) {
    hd_arena *arena = hd_arena_new();
    const char *job = hd_format(arena, "examples/%s/%s.yaml", name, name);
    hd_status status = trace_job(diag, job, header.spaces, path);
    hd_arena_free(arena);
    return status;
}

hd_status write_prefix(const hd_diag *diag, const char *path, uint64_t blocks,
                       const char *prefix_path) {
    hd_arena *arena = hd_arena_new();
    const hd_trace_choice choice = {.launch = -1, .last_block = blocks - 1};
    hd_trace *trace;
    hd_trace_writer *writer;
    hd_status status = hd_trace_open(arena, diag, path, &trace);
    if (status == HD_OK) {
        status = hd_trace_create(arena, diag, prefix_path, &header, &writer);
        if (status == HD_OK) {
            const hd_sink sink = hd_trace_sink(writer);
            status = hd_trace_end(writer, hd_trace_replay(trace, diag, &choice, &sink), true);
        }
        hd_trace_close(trace);
    }
    hd_arena_free(arena);
    return status;
}

hd_status read_facts(const hd_diag *diag, const char *path, trace_facts *facts) {
    hd_arena *arena = hd_arena_new();
    hd_trace *trace;
    hd_status status = hd_trace_open(arena, diag, path, &trace);
    if (status == HD_OK) {
        const hd_trace_contents *contents = hd_trace_get(trace);
        *facts = (trace_facts){hd_trace_sum(contents), contents->bytes};
        hd_trace_close(trace);
    }
    hd_arena_free(arena);
    return status;
}
