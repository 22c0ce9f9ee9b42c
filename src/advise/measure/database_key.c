/*
 * What is the same again: hashes of texts and of jobs.
 *
 * The description that is hashed says everything twice where in doubt: the kernels as kir,
 * since that has what headers and options made of them, and as source, since another compiler
 * may see parts of it that ours did not. What is missing is what does not change a run: the
 * names of files, and places in them.
 */
#include <stdio.h>
#include <xxhash.h>

#include "advise/measure/database.h"

/* ---- texts ------------------------------------------------------------------- */

static const char *hash_bytes(hd_arena *arena, const void *data, size_t length) {
    XXH128_hash_t hash = XXH3_128bits(data, length);
    return hd_format(arena, "%016llx%016llx", (unsigned long long)hash.high64,
                     (unsigned long long)hash.low64);
}

static void add_text(hd_str *out, const char *text) {
    if (text)
        hd_str_printf(out, "%zu:%s\n", strlen(text), text);
    else
        hd_str_add(out, "-\n");
}

const char *hd_hash_texts(hd_arena *arena, const char *const *texts, size_t count) {
    hd_str all = {.arena = arena};
    for (size_t i = 0; i < count; i++)
        add_text(&all, texts[i]);
    return hash_bytes(arena, hd_str_text(&all), all.length);
}

/* ---- kernels ------------------------------------------------------------------ */

/* The module with all that names a file taken out. */
static void add_module(hd_str *out, const kir_module *module) {
    hd_arena *arena = out->arena;
    kir_module bare = *module;
    bare.file_count = 0;
    bare.records = hd_new_array(arena, hd_record *, bare.record_count);
    for (uint32_t r = 0; r < bare.record_count; r++) {
        bare.records[r] = hd_new(arena, hd_record);
        *bare.records[r] = *module->records[r];
        bare.records[r]->place = (hd_place){0};
    }
    bare.kernels = hd_new_array(arena, kir_kernel *, bare.kernel_count);
    for (uint32_t k = 0; k < bare.kernel_count; k++) {
        bare.kernels[k] = hd_new(arena, kir_kernel);
        *bare.kernels[k] = *module->kernels[k];
        bare.kernels[k]->place = (hd_place){0};
    }
    hd_str text = {.arena = arena};
    kir_print_module(&text, &bare);
    add_text(out, hd_str_text(&text));
    for (uint32_t f = 0; f < module->file_count; f++)
        add_text(out, module->files[f].text);
    for (uint32_t h = 0; h < module->header_count; h++)
        add_text(out, module->headers[h]);
}

/* ---- data ---------------------------------------------------------------------- */

static hd_status add_buffer(hd_str *out, const hd_diag *diag, const hd_buffer *buffer) {
    hd_buffer only_file = *buffer;
    void *bytes;
    add_text(out, buffer->name);
    add_text(out, buffer->type);
    hd_str_printf(out, "buffer %llu %u %d\n", (unsigned long long)buffer->count,
                  buffer->element_bytes, buffer->file != NULL);
    if (buffer->placement)
        hd_str_printf(out, "placement %s\n", hd_placement_name(buffer->placement));
    for (uint32_t i = 0; i < buffer->init_count; i++) {
        const hd_init *init = &buffer->inits[i];
        add_text(out, init->field);
        hd_str_printf(out, "init %d %a %a %a %llu\n", init->generator, init->low, init->high,
                      init->step, (unsigned long long)init->seed);
        add_text(out, init->graph ? init->graph->name : NULL);
        add_text(out, init->graph ? hd_graph_part_name(init->part) : NULL);
    }
    if (!buffer->file)
        return HD_OK;
    only_file.init_count = 0;
    hd_arena *arena = hd_arena_new();
    hd_status status = hd_job_contents(arena, diag, &only_file, &bytes);
    if (status == HD_OK)
        add_text(out, hash_bytes(arena, bytes, buffer->count * buffer->element_bytes));
    hd_arena_free(arena);
    return status;
}

/* ---- launches -------------------------------------------------------------------- */

static void add_spot(hd_str *out, const char *what, const hd_spot *spot) {
    add_text(out, what);
    add_text(out, spot->buffer_name);
    add_text(out, spot->field);
    hd_str_printf(out, "%llu\n", (unsigned long long)spot->element);
}

/* What is written between launches. Files are not measured with. */
static void add_held(hd_str *out, const hd_held *held, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        hd_str_printf(out, "held %d %llu\n", held[i].kind, (unsigned long long)held[i].element);
        add_text(out, held[i].buffer_name);
        add_text(out, held[i].from_name);
        add_text(out, held[i].field);
        add_text(out, held[i].value_text);
    }
}

static void add_launch(hd_str *out, const hd_job *job, const hd_launch *launch) {
    add_text(out, launch->kernel_name);
    hd_str_printf(out, "launch %u shared %llu repeat %llu\n", launch->dims,
                  (unsigned long long)launch->shared, (unsigned long long)launch->repeat);
    for (uint32_t d = 0; d < launch->dims; d++)
        hd_str_printf(out, "%llu %llu %llu\n", (unsigned long long)launch->global[d],
                      (unsigned long long)launch->local[d], (unsigned long long)launch->offset[d]);
    add_held(out, launch->before, launch->before_count);
    if (launch->until) {
        hd_str_printf(out, "group %u %d\n", launch->until->number, launch->begins_round);
        add_spot(out, launch->until->value_text, &launch->until->spot);
    }
    if (launch->items_from)
        add_spot(out, hd_format(out->arena, "items %llu", (unsigned long long)launch->items_each),
                 launch->items_from);
    for (uint32_t a = 0; a < launch->arg_count; a++) {
        const hd_arg *arg = &launch->args[a];
        add_text(out, arg->name);
        if (arg->from)
            add_spot(out, "from", arg->from);
        hd_str_printf(out, "arg %d %u %u %llu\n", arg->kind, arg->param, arg->variable,
                      (unsigned long long)arg->local_bytes);
        if (arg->kind == HD_ARG_BUFFER)
            add_text(out, job->buffers[arg->buffer].name);
        if (arg->offset)
            hd_str_printf(out, "offset %llu\n", (unsigned long long)arg->offset);
        for (uint32_t i = 0; i < arg->value_bytes; i++)
            hd_str_printf(out, "%02x", arg->value[i]);
    }
}

/* What layouts are of: the record with its fields, some of which may be taken apart, and
 * buffers that are fields of one. */
static void add_records(hd_str *out, const hd_job *job) {
    add_text(out, job->record ? job->record->name : NULL);
    add_text(out, job->record && job->record->in_columns ? "in columns" : NULL);
    for (uint32_t f = 0; job->record && f < job->record->field_count; f++)
        add_text(out, job->record->fields[f].name);
    for (uint32_t a = 0; a < job->arrays_count; a++) {
        hd_str_printf(out, "arrays %u\n", job->arrays[a].field_count);
        add_text(out, job->arrays[a].name);
        for (uint32_t f = 0; f < job->arrays[a].field_count; f++)
            add_text(out, job->arrays[a].fields[f]);
    }
}

hd_status hd_job_hash(hd_arena *arena, const hd_diag *diag, const hd_job *job, const char **hash) {
    hd_arena *scratch = hd_arena_new();
    hd_str all = {.arena = scratch};
    hd_status status = HD_OK;
    add_module(&all, job->module);
    add_text(&all, job->options);
    add_records(&all, job);
    for (uint32_t g = 0; g < job->graph_count; g++) {
        const hd_graph *graph = job->graphs[g].graph;
        uint32_t arcs = graph->first[graph->nodes];
        add_text(&all, job->graphs[g].name);
        hd_str_printf(&all, "graph %u %u %d\n", graph->nodes, graph->edges, graph->directed);
        add_text(&all,
                 hash_bytes(scratch, graph->first, (graph->nodes + 1) * sizeof *graph->first));
        add_text(&all, hash_bytes(scratch, graph->to, arcs * sizeof *graph->to));
        add_text(&all, graph->gates ? hash_bytes(scratch, graph->gates, graph->nodes) : NULL);
    }
    for (uint32_t b = 0; b < job->buffer_count && status == HD_OK; b++)
        status = add_buffer(&all, diag, &job->buffers[b]);
    for (uint32_t l = 0; l < job->launch_count; l++)
        add_launch(&all, job, &job->launches[l]);
    if (status == HD_OK)
        *hash = hash_bytes(arena, all.data, all.length);
    hd_arena_free(scratch);
    return status;
}
