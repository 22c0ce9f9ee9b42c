/* A draft as the text of a job file. */
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
        hd_str_printf(out, "%s%llu", d ? ", " : "", (unsigned long long)sizes[d]);
    hd_str_add(out, "]\n");
}

/* A comment in one line. */
static void add_comment(hd_str *out, const char *indent, const char *text) {
    hd_str_printf(out, "%s# ", indent);
    for (; *text; text++)
        hd_str_addn(out, (unsigned char)*text < ' ' ? " " : text, 1);
    hd_str_add(out, "\n");
}

static void print_init(hd_str *out, const hd_init *init) {
    hd_str_add(out, "      - {");
    if (init->field)
        hd_str_printf(out, "field: %s, ", quoted(out->arena, init->field));
    hd_str_printf(out, "generator: uniform, low: %g, high: %g, seed: %llu}\n", init->low,
                  init->high, (unsigned long long)init->seed);
}

static void print_buffer(hd_str *out, const hd_buffer *buffer) {
    hd_arena *arena = out->arena;
    if (buffer->note)
        add_comment(out, "  ", buffer->note);
    hd_str_printf(out, "  - name: %s\n    type: %s\n    count: %llu\n", quoted(arena, buffer->name),
                  quoted(arena, buffer->type), (unsigned long long)buffer->count);
    if (buffer->init_count)
        hd_str_add(out, "    init:\n");
    for (uint32_t i = 0; i < buffer->init_count; i++)
        print_init(out, &buffer->inits[i]);
}

static void print_arg(hd_str *out, const hd_arg *arg) {
    hd_arena *arena = out->arena;
    hd_str_printf(out, "      - {name: %s, ", quoted(arena, arg->name));
    if (arg->bytes_text)
        hd_str_printf(out, "bytes: \"%s\"}", arg->bytes_text);
    else if (arg->kind == HD_ARG_BUFFER)
        hd_str_printf(out, "buffer: %s}", quoted(arena, arg->buffer_name));
    else if (arg->kind == HD_ARG_LOCAL)
        hd_str_printf(out, "local: %llu}", (unsigned long long)arg->local_bytes);
    else
        hd_str_printf(out, "value: %s}", quoted(arena, arg->value_text));
    hd_str_printf(out, arg->note ? " # %s\n" : "\n", arg->note);
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
        hd_str_printf(out, "    shared: %llu\n", (unsigned long long)launch->shared);
    if (launch->arg_count)
        hd_str_add(out, "    args:\n");
    for (uint32_t a = 0; a < launch->arg_count; a++)
        print_arg(out, &launch->args[a]);
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
    for (uint32_t l = 0; l < job->launch_count; l++)
        print_launch(out, &job->launches[l], KIR_HAS(module, BLOCKS));
}
