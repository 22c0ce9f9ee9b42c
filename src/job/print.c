/* A draft as the text of a job file. */
#include <stdlib.h>

#include "job/internal.h"

/* In quotes where YAML would take it for something else. */
static const char *quoted(hd_arena *arena, const char *text) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./";
    bool is_number = *text == '-' && text[1];
    if (*text && !(text + is_number)[strspn(text + is_number, plain)])
        return text;
    hd_str out = {.arena = arena};
    hd_str_add(&out, "\"");
    for (; *text; text++)
        hd_str_printf(&out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    hd_str_add(&out, "\"");
    return hd_str_text(&out);
}

static void add_sizes(hd_str *out, const char *key, const uint64_t *sizes, uint32_t dims) {
    hd_str_printf(out, "    %s: [", key);
    for (uint32_t d = 0; d < dims; d++)
        hd_str_printf(out, "%s%llu", d ? ", " : "", (ull)sizes[d]);
    hd_str_add(out, "]\n");
}

/* A comment in one line. */
static void add_comment(hd_str *out, const char *indent, const char *text) {
    hd_str_printf(out, "%s# ", indent);
    for (; *text; text++)
        hd_str_addn(out, (unsigned char)*text < ' ' ? " " : text, 1);
    hd_str_add(out, "\n");
}

static void print_buffer(hd_str *out, const hd_buffer *buffer) {
    hd_arena *arena = out->arena;
    if (buffer->note)
        add_comment(out, "  ", buffer->note);
    hd_str_printf(out, "  - name: %s\n", quoted(arena, buffer->name));
    if (buffer->image)
        hd_str_printf(out, "    image: {%s}\n", kir_image_text(arena, buffer->image));
    else
        hd_str_printf(out, "    type: %s\n    count: %llu\n", quoted(arena, buffer->type),
                      (ull)buffer->count);
    if (buffer->guess)
        hd_str_printf(out, "    guess: %s\n", quoted(arena, buffer->guess));
    if (buffer->placement)
        hd_str_printf(out, "    placement: %s\n", hd_placement_name(buffer->placement));
    if (buffer->init_count)
        hd_str_add(out, "    init:\n");
    for (uint32_t i = 0; i < buffer->init_count; i++) {
        const hd_init *init = &buffer->inits[i];
        hd_str_add(out, "      - {");
        if (init->field)
            hd_str_printf(out, "field: %s, ", quoted(arena, init->field));
        hd_str_printf(out, "generator: uniform, low: %g, high: %.15g, seed: %llu}\n", init->low,
                      init->high, (unsigned long long)init->seed);
    }
}

static void print_arg(hd_str *out, const hd_arg *arg) {
    hd_arena *arena = out->arena;
    hd_str_printf(out, "      - {name: %s, ", quoted(arena, arg->name));
    if (arg->bytes_text)
        hd_str_printf(out, "bytes: \"%s\"", arg->bytes_text);
    else if (arg->kind == HD_ARG_BUFFER)
        hd_str_printf(out, "buffer: %s", quoted(arena, arg->buffer_name));
    else if (arg->kind == HD_ARG_LOCAL)
        hd_str_printf(out, "local: %llu", (ull)arg->local_bytes);
    else if (arg->is_sampler)
        hd_str_printf(out, "sampler: {%s}",
                      hd_sampler_text(arena, (uint32_t)strtoul(arg->value_text, NULL, 10)));
    else if (arg->round_text)
        hd_str_add(out, arg->round_text);
    else
        hd_str_printf(out, "value: %s", quoted(arena, arg->value_text));
    if (arg->guess)
        hd_str_printf(out, ", guess: %s", arg->guess);
    hd_str_printf(out, arg->note ? "} # %s\n" : "}\n", arg->note);
}

static void print_launch(hd_str *out, const hd_launch *launch, bool in_blocks) {
    uint64_t blocks[3];
    uint32_t dims = launch->dims, threads = launch->dims;
    for (uint32_t d = 0; d < 3; d++)
        blocks[d] = launch->global[d] / launch->local[d];
    if (launch->note)
        add_comment(out, "  ", launch->note);
    hd_str_printf(out, "  - kernel: %s\n", quoted(out->arena, launch->kernel_name));
    while (in_blocks && dims > 1 && blocks[dims - 1] == 1)
        dims--;
    while (in_blocks && threads > 1 && launch->local[threads - 1] == 1)
        threads--;
    add_sizes(out, in_blocks ? "blocks" : "global", in_blocks ? blocks : launch->global, dims);
    add_sizes(out, in_blocks ? "threads" : "local", launch->local, threads);
    if (in_blocks && launch->shared)
        hd_str_printf(out, "    shared: %llu\n", (ull)launch->shared);
    if (launch->guess)
        hd_str_printf(out, "    guess: %s\n", launch->guess);
    if (in_blocks && launch->cluster[0])
        hd_str_printf(out, "    cluster: [%u, %u, %u]\n", launch->cluster[0], launch->cluster[1],
                      launch->cluster[2]);
    if (in_blocks && launch->cooperative)
        hd_str_add(out, "    cooperative: true\n");
    if (launch->arg_count)
        hd_str_add(out, "    args:\n");
    for (uint32_t a = 0; a < launch->arg_count; a++)
        if (!launch->args[a].is_derived)
            print_arg(out, &launch->args[a]);
}

/* ---- groups ------------------------------------------------------------------------------- */

static void print_held(hd_str *out, const hd_draft_entry *entry) {
    const hd_held *held = &entry->held;
    hd_arena *arena = out->arena;
    const char *buffer = quoted(arena, held->buffer_name);
    if (held->kind == HD_HELD_COPY)
        hd_str_printf(out, "  - copy: {from: %s, to: %s}", quoted(arena, held->from_name), buffer);
    else
        hd_str_printf(out, "  - %s: {buffer: %s, value: %s}",
                      held->kind == HD_HELD_FILL ? "fill" : "set", buffer,
                      quoted(arena, held->value_text));
    hd_str_printf(out, " # %s\n", entry->note);
}

static void print_group(hd_str *out, const hd_draft_group *group) {
    add_comment(out, "  ", group->note);
    hd_str_printf(out, "  - repeat: %llu\n", (ull)group->repeat);
    if (group->until)
        hd_str_printf(out, "    until: {buffer: %s, element: 0, value: %s}\n",
                      quoted(out->arena, group->until->spot.buffer_name),
                      quoted(out->arena, group->until->value_text));
    hd_str_add(out, "    launches:\n");
}

/* The lines, as deep as in so many groups. */
static void add_indented(hd_str *out, const char *lines, uint32_t depth) {
    while (*lines) {
        size_t length = strcspn(lines, "\n") + 1;
        hd_str_printf(out, "%*s%.*s", (int)(4 * depth), "", (int)length, lines);
        lines += length;
    }
}

/* Opens the groups between the one that is open and this one, the outermost first; how many groups
 * this one is in, itself counted. */
static uint32_t open_groups(hd_str *out, const hd_job *job, int32_t open, int32_t group) {
    if (group < 0)
        return 0;
    uint32_t depth = open_groups(out, job, open, job->groups[group].outer);
    while (open >= 0 && open != group)
        open = job->groups[open].outer;
    hd_str text = {.arena = out->arena};
    if (open != group)
        print_group(&text, &job->groups[group]);
    add_indented(out, hd_str_text(&text), depth);
    return depth + 1;
}

static void print_entries(hd_str *out, const hd_job *job, bool in_blocks) {
    int32_t open = -1;
    for (uint32_t e = 0; e < job->entry_count; e++) {
        const hd_draft_entry *entry = &job->entries[e];
        hd_str text = {.arena = out->arena};
        uint32_t depth = open_groups(out, job, open, entry->group);
        open = entry->group;
        if (entry->launch == KIR_NONE)
            print_held(&text, entry);
        else
            print_launch(&text, &job->launches[entry->launch], in_blocks);
        add_indented(out, hd_str_text(&text), depth);
    }
}

/* The structs that kernels of the job take arrays of, each once. */
static void add_records(hd_str *names, const hd_job *job, const kir_module *module,
                        uint32_t *count) {
    for (uint32_t r = 0; r < module->record_count; r++) {
        bool held = false;
        for (uint32_t b = 0; b < job->buffer_count; b++)
            held |= !strcmp(job->buffers[b].type, module->records[r]->name);
        kir_type type;
        bool is_signed;
        if (held && !hd_type_parse(module->records[r]->name, &type, &is_signed))
            hd_str_printf(names, "%s%s", (*count)++ ? ", " : "", module->records[r]->name);
    }
}

void hd_job_print(hd_str *out, const hd_job *job, const kir_module *module,
                  const char *kernel_path) {
    hd_str records = {.arena = out->arena};
    uint32_t count = 0;
    add_records(&records, job, module, &count);
    hd_str_add(out, "# Made by heddle init. Sizes, counts and values are as the host code has them "
                    "where no comment\n# says that they are a guess; contents are guesses, all of "
                    "them.\n");
    hd_str_printf(out, "kernel: %s\n", quoted(out->arena, kernel_path));
    if (*job->options)
        hd_str_printf(out, "options: %s\n", quoted(out->arena, job->options));
    if (count == 1)
        hd_str_printf(out, "record: %s\n", quoted(out->arena, hd_str_text(&records)));
    else if (count)
        hd_str_printf(out, "# record: the one to lay out; there are %s\n", hd_str_text(&records));
    hd_str_add(out, job->buffer_count ? "buffers:\n" : "");
    for (uint32_t b = 0; b < job->buffer_count; b++)
        print_buffer(out, &job->buffers[b]);
    hd_str_add(out, "launches:\n");
    print_entries(out, job, KIR_HAS(module, BLOCKS));
}
