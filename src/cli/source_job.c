/*
 * Kernels of the source take buffers of their types where those of PTX take bytes at addresses. So a
 * buffer of the new job is memory of the program as a parameter sees it. Such jobs can be measured and
 * rewritten as long as nothing in them is an address. The host's writes are then new buffers: what a
 * recorded launch finds in memory is known to the last byte, so the memory that the host has written
 * becomes another buffer, whose initial contents are that. Launches that the source has no kernel
 * for, or cannot say, change memory just as the host does.
 *
 * An OpenCL program carries its source, so its recorded job becomes that one.
 *
 * Where memory or arguments hold addresses, buffers stay at theirs and the host's writes are those of
 * the recording; only the machine takes such a job.
 */
#include "cli/whole_program.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/table.h"
#include "rewrite/rewrite_host.h"

/* More buffers than the program's own may take so many bytes. */
static const uint64_t most_bytes = (uint64_t)1 << 30;

/* Memory of the program, a buffer of the recorded job. */
typedef struct memory {
    const char *file; /* what it holds; NULL: zeros */
    uint32_t buffer;  /* of the new job, which holds that, too; KIR_NONE: none does */
    bool is_written;  /* since the last launch of the new job */
} memory;

/* A buffer of the new job. */
typedef struct buffer {
    const char *name, *file;
    const kir_param *pointer; /* that says what it holds; NULL: nobody does */
    const hd_image *image;    /* NULL: it is none */
    uint64_t bytes, at;       /* at: 0 where addresses do not matter */
} buffer;

/* An argument, or a variable: one of memory, value and bytes. */
typedef struct given {
    const char *name, *value, *bytes, *sampler;
    uint32_t memory; /* KIR_NONE: it is no pointer */
    uint64_t offset;
    uint64_t local_bytes;   /* of local memory; 0: it is none */
    const kir_param *param; /* NULL: it is a variable */
    bool is_unknown;        /* a variable that the kernel of the source does not use */
} given;

typedef struct writer {
    cli *c;
    hd_arena *arena;
    const hd_job *job;        /* the recorded one, resolved */
    const kir_module *module; /* of the source */
    const char *path;         /* the source */
    bool is_opencl;           /* of a program that carries it */
    bool has_addresses;
    memory *memories; /* [job->buffer_count] */
    hd_vec(buffer) buffers;
    hd_hash_table names; /* of buffers */
    uint64_t extra_bytes;
    hd_str launches;
    uint64_t launch_count, left_out;
    const char *why; /* the first was left out */
} writer;

typedef hd_vec(hd_output) output_list;

/* ---- messages ------------------------------------------------------------------------------------- */

/* The first error, in one line. */
typedef struct heard {
    hd_arena *arena;
    const char *copies, *originals; /* folders: files of the first are told as the other's */
    const char *text;
} heard;

static void hear(const hd_message *message, void *user) {
    heard *h = user;
    const hd_place *at = &message->place;
    if (message->severity != HD_ERROR || h->text)
        return;
    hd_str text = {.arena = h->arena};
    const char *file = at->file;
    const char *copy = file && h->copies ? hd_path_below(h->copies, file) : NULL;
    if (copy)
        file = hd_format(h->arena, "%s/%s", h->originals, copy);
    if (file)
        hd_str_printf(&text, at->line ? "%s:%u: " : "%s: ", file, at->line);
    hd_str_add(&text, message->text);
    h->text = hd_str_text(&text);
}

/* ---- types ------------------------------------------------------------------------------------------ */

static bool is_pointer(const kir_param *param) {
    return param->type.kind == KIR_PTR && !param->by_value_struct;
}

static uint32_t element_bytes(const kir_param *pointer) {
    return pointer && pointer->element_bytes ? pointer->element_bytes : 1;
}

/* What a job calls an element; NULL: it has no name for it. */
static const char *element_type(const kir_param *pointer) {
    static const char *const by_size[] = {
        [1] = "uchar", [2] = "ushort", [4] = "uint", [8] = "ulong"};
    kir_type type;
    bool is_signed;
    uint32_t bytes = element_bytes(pointer);
    if (pointer && pointer->record)
        return pointer->record->name;
    if (pointer && pointer->element_type &&
        hd_type_parse(pointer->element_type, &type, &is_signed) && hd_type_stride(type) == bytes)
        return pointer->element_type;
    return bytes < sizeof by_size / sizeof *by_size ? by_size[bytes] : NULL;
}

static uint64_t bytes_of(const hd_buffer *b) { return b->count * b->element_bytes; }

/* A buffer can be given to both. */
static bool agree(const kir_param *a, const kir_param *b) {
    if (!a || !b)
        return true;
    return a->object == b->object && a->record == b->record &&
           (!a->element_bytes || !b->element_bytes || a->element_bytes == b->element_bytes);
}

/* ---- a launch of the recorded job in terms of the source ----------------------------------------- */

/* Why this cannot be the launch's kernel; NULL: it can. */
static const char *kernel_of(const writer *w, const hd_launch *launch, const kir_kernel **kernel) {
    const char *name = hd_path_name(w->path);
    const kir_kernel *k = kir_find_kernel(w->module, launch->kernel_name);
    if (!k)
        return hd_format(w->arena, "%s, as Heddle compiles it, has no kernel '%s'", name,
                         launch->kernel_name);
    bool fits = k->param_count == launch->kernel->param_count;
    for (uint32_t p = 0; fits && p < k->param_count; p++)
        fits = (is_pointer(&k->params[p]) ? 8 : k->params[p].bytes) ==
               (is_pointer(&launch->kernel->params[p]) ? 8 : launch->kernel->params[p].bytes);
    *kernel = k;
    return fits ? NULL
                : hd_format(w->arena,
                            "kernel '%s' of %s has other parameters than that of the program; "
                            "record what is built of this source, or say with --options how it "
                            "was compiled",
                            k->name, name);
}

/* The memory that an address leads to, and where in it; KIR_NONE: none. */
static uint32_t memory_at(const writer *w, uint64_t address, uint64_t *offset) {
    for (uint32_t b = 0; b < w->job->buffer_count; b++)
        if (address - w->job->buffers[b].at < bytes_of(&w->job->buffers[b])) {
            *offset = address - w->job->buffers[b].at;
            return b;
        }
    return KIR_NONE;
}

static void give_pointer(const writer *w, const hd_arg *arg, given *g) {
    uint64_t address = 0;
    g->memory = KIR_NONE;
    g->bytes = arg->bytes_text;
    if (arg->kind == HD_ARG_BUFFER && !arg->bytes_text) {
        g->memory = arg->buffer;
        g->offset = arg->offset;
    } else if (arg->value_bytes == sizeof address) {
        memcpy(&address, arg->value, sizeof address);
        g->memory = memory_at(w, address, &g->offset);
    }
}

static void give_number(const writer *w, const kir_kernel *kernel, const hd_arg *arg, given *g) {
    g->memory = KIR_NONE;
    g->bytes = arg->bytes_text;
    if (arg->is_sampler) {
        g->value = arg->value_text;
        g->sampler = hd_sampler_text(w->arena, (uint32_t)strtoul(arg->value_text, NULL, 10));
        return;
    }
    if (arg->bytes_text)
        g->value = hd_job_value_text(w->arena, w->module, kernel, arg->param, arg->value);
    if (arg->bytes_text)
        return;
    /* What PTX uses as a pointer. */
    uint64_t address = w->job->buffers[arg->buffer].at + arg->offset;
    hd_str bytes = {.arena = w->arena};
    for (int i = 0; i < 8; i++)
        hd_str_printf(&bytes, "%02x", (unsigned)(address >> 8 * i & 0xff));
    g->bytes = hd_str_text(&bytes);
}

static void give_local(const hd_arg *arg, given *g) {
    g->memory = KIR_NONE;
    g->local_bytes = arg->local_bytes;
}

static given *givens_of(const writer *w, const hd_launch *launch, const kir_kernel *kernel) {
    given *all = hd_new_array(w->arena, given, launch->arg_count + 1);
    for (uint32_t a = 0; a < launch->arg_count; a++) {
        const hd_arg *arg = &launch->args[a];
        if (arg->is_derived) {
            all[a] = (given){.name = arg->name, .memory = KIR_NONE, .is_unknown = true};
            continue;
        }
        if (arg->param == KIR_NONE) {
            all[a] = (given){.name = arg->name, .memory = arg->buffer, .is_unknown = true};
            for (uint32_t s = 0; s < kernel->static_count; s++)
                if (kernel->statics[s].space != KIR_LOCAL &&
                    !strcmp(kernel->statics[s].name, arg->name))
                    all[a].is_unknown = false;
            continue;
        }
        all[a].param = &kernel->params[arg->param];
        all[a].name = all[a].param->name;
        if (arg->kind == HD_ARG_LOCAL)
            give_local(arg, &all[a]);
        else if (is_pointer(all[a].param))
            give_pointer(w, arg, &all[a]);
        else
            give_number(w, kernel, arg, &all[a]);
    }
    return all;
}

/* Addresses matter where memory holds them, or numbers are them. */
static bool has_addresses(const writer *w, const hd_launch *launch, const given *all) {
    bool any = false;
    for (uint32_t a = 0; a < launch->arg_count; a++) {
        const given *g = &all[a];
        const kir_param *p = g->param;
        uint32_t count = 0;
        if (!p)
            continue;
        const hd_leaf *leaves = p->record && is_pointer(p)
                                    ? hd_leaves_of_record(w->arena, p->record, NULL, &count)
                                    : NULL;
        any |= is_pointer(p) ? p->element_type && strchr(p->element_type, '*') : !g->value;
        for (uint32_t l = 0; l < count; l++)
            any |= leaves[l].is_pointer;
    }
    return any;
}

/* Why this launch cannot be in the job; NULL: it can. */
static const char *check_givens(const writer *w, const hd_launch *launch, const given *all) {
    for (uint32_t a = 0; a < launch->arg_count; a++) {
        const given *g = &all[a];
        if (g->memory == KIR_NONE || !g->param)
            continue;
        const hd_buffer *held = &w->job->buffers[g->memory];
        uint64_t bytes = bytes_of(held);
        const char *type = element_type(g->param);
        const char *who = hd_format(w->arena, "'%s' of kernel '%s'", g->name, launch->kernel_name);
        if (!type || bytes % element_bytes(g->param))
            return hd_format(w->arena,
                             "%s points to %s, but %llu bytes of memory are no array of it", who,
                             type ? type : "what has no name", (unsigned long long)bytes);
        if (g->offset && g->param->record)
            return hd_format(w->arena,
                             "%s points to byte %llu of memory, and an array of structs is laid "
                             "out as a whole; allocate it by itself",
                             who, (unsigned long long)g->offset);
        bool agrees = true;
        for (uint32_t o = 0; o < a; o++)
            agrees &= all[o].memory != g->memory || agree(all[o].param, g->param);
        uint32_t now = w->memories[g->memory].buffer;
        if (w->has_addresses)
            agrees &= agree(w->buffers.data[now].pointer, g->param);
        if (!agrees)
            return hd_format(w->arena,
                             "%s takes as %s what another pointer takes as something else; "
                             "allocate them apart",
                             who, type);
    }
    return NULL;
}

/* ---- buffers ------------------------------------------------------------------------------------------ */

static void add_buffer(writer *w, uint32_t m, const char *like, uint64_t at) {
    memory *held = &w->memories[m];
    const char *name = like;
    for (unsigned n = 2; hd_hash_get_key(&w->names, name) != HD_NO_VALUE; n++)
        name = hd_format(w->arena, "%s_%u", like, n);
    hd_hash_add_key(&w->names, name, 0);
    const hd_buffer *of = &w->job->buffers[m];
    const buffer b = {name, held->file, NULL, of->image, bytes_of(of), at};
    held->buffer = (uint32_t)w->buffers.count;
    hd_push(w->arena, &w->buffers, b);
}

static void write_held(writer *w, const hd_held *held, uint32_t count, bool by_new_job) {
    for (uint32_t i = 0; i < count; i++) {
        memory *m = &w->memories[held[i].buffer];
        m->file = held[i].file;
        m->is_written |= !by_new_job;
        if (!by_new_job && !w->has_addresses)
            m->buffer = KIR_NONE;
    }
}

/* ---- the text ------------------------------------------------------------------------------------------- */

static const char *contents_name(const writer *w, const char *file) {
    return hd_format(w->arena, "contents/%s", hd_path_name(file));
}

static void add_sizes(hd_str *text, const char *key, const uint64_t *sizes, const uint64_t *by,
                      uint32_t dims) {
    hd_str_printf(text, "    %s: [", key);
    for (uint32_t d = 0; d < dims; d++)
        hd_str_printf(text, "%s%llu", d ? ", " : "", (unsigned long long)(sizes[d] / by[d]));
    hd_str_add(text, "]\n");
}

static void add_given(writer *w, const given *g) {
    hd_str *text = &w->launches;
    hd_str_printf(text, "      - {name: %s, ", cli_yaml_name(w->c, g->name));
    if (g->memory != KIR_NONE) {
        if (w->memories[g->memory].buffer == KIR_NONE)
            add_buffer(w, g->memory, g->name, 0);
        buffer *b = &w->buffers.data[w->memories[g->memory].buffer];
        if (g->param && (!b->pointer || g->param->element_bytes))
            b->pointer = g->param;
        hd_str_printf(text, "buffer: %s", cli_yaml_name(w->c, b->name));
        if (g->offset)
            hd_str_printf(text, ", offset: %llu", (unsigned long long)g->offset);
    } else if (g->sampler) {
        hd_str_printf(text, "sampler: {%s}", g->sampler);
    } else if (g->local_bytes) {
        hd_str_printf(text, "local: %llu", (unsigned long long)g->local_bytes);
    } else {
        hd_str_printf(text, g->value ? "value: \"%s\"" : "bytes: \"%s\"",
                      g->value ? g->value : g->bytes);
    }
    hd_str_add(text, "}\n");
}

static void add_before(writer *w) {
    bool any = false;
    for (uint32_t m = 0; m < w->job->buffer_count; m++) {
        memory *held = &w->memories[m];
        if (held->is_written && w->has_addresses) {
            hd_str_printf(&w->launches, "%s      - {buffer: %s, file: %s}\n",
                          any ? "" : "    before:\n", w->buffers.data[held->buffer].name,
                          contents_name(w, held->file));
            any = true;
        }
        held->is_written = false;
    }
}

/* What the program's own kernels left there. */
static void add_after(writer *w, const hd_launch *l) {
    hd_str *text = &w->launches;
    bool any = false;
    for (uint32_t i = 0; i < l->after_count; i++) {
        uint32_t b = w->memories[l->after[i].buffer].buffer;
        if (b == KIR_NONE)
            continue;
        hd_str_printf(text, "%s      - {buffer: %s, file: %s}\n", any ? "" : "    after:\n",
                      cli_yaml_name(w->c, w->buffers.data[b].name),
                      contents_name(w, l->after[i].file));
        any = true;
    }
    if (!any)
        hd_str_add(text, "    after: []\n");
}

static void add_launch(writer *w, const hd_launch *l, const given *all) {
    static const uint64_t one[] = {1, 1, 1};
    hd_str *text = &w->launches;
    hd_str_printf(text, "  - kernel: %s\n", cli_yaml_name(w->c, l->kernel_name));
    add_sizes(text, w->is_opencl ? "global" : "blocks", l->global, w->is_opencl ? one : l->local,
              l->dims);
    add_sizes(text, w->is_opencl ? "local" : "threads", l->local, one, l->dims);
    if (l->offset[0] | l->offset[1] | l->offset[2])
        add_sizes(text, "offset", l->offset, one, l->dims);
    if (!w->is_opencl)
        hd_str_printf(text, "    shared: %llu\n", (unsigned long long)l->shared);
    add_before(w);
    if (l->arg_count)
        hd_str_add(text, "    args:\n");
    for (uint32_t a = 0; a < l->arg_count; a++)
        if (!all[a].is_unknown)
            add_given(w, &all[a]);
    add_after(w, l);
    w->launch_count++;
}

static const char *try_launch(writer *w, const hd_launch *l) {
    const kir_kernel *kernel;
    const char *why = kernel_of(w, l, &kernel);
    if (why)
        return why;
    const given *all = givens_of(w, l, kernel);
    if ((why = check_givens(w, l, all)) != NULL)
        return why;
    uint64_t bytes = 0; /* of buffers that this launch would add to those of earlier ones */
    for (uint32_t a = 0; a < l->arg_count; a++) {
        memory *held = all[a].memory == KIR_NONE ? NULL : &w->memories[all[a].memory];
        /* Memory that it sees as something else than earlier ones becomes another buffer. */
        if (held && held->buffer != KIR_NONE &&
            !agree(w->buffers.data[held->buffer].pointer, all[a].param))
            held->buffer = KIR_NONE;
    }
    for (uint32_t a = 0; a < l->arg_count && w->launch_count; a++)
        if (all[a].memory != KIR_NONE && !all[a].is_unknown &&
            w->memories[all[a].memory].buffer == KIR_NONE)
            bytes += bytes_of(&w->job->buffers[all[a].memory]);
    if (bytes > most_bytes - w->extra_bytes)
        return "with all that the host writes between launches, buffers would take too much memory";
    w->extra_bytes += bytes;
    add_launch(w, l, all);
    return NULL;
}

static void add_launches(writer *w) {
    const hd_job *job = w->job;
    w->memories = hd_new_array(w->arena, memory, job->buffer_count);
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        const kir_kernel *kernel;
        if (!kernel_of(w, launch, &kernel))
            w->has_addresses |= has_addresses(w, launch, givens_of(w, launch, kernel));
    }
    for (uint32_t m = 0; m < job->buffer_count; m++) {
        w->memories[m] = (memory){.file = job->buffers[m].file, .buffer = KIR_NONE};
        if (w->has_addresses)
            add_buffer(w, m, job->buffers[m].name, job->buffers[m].at);
    }
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        write_held(w, launch->before, launch->before_count, false);
        const char *why = try_launch(w, launch);
        w->left_out += why != NULL;
        w->why = w->why ? w->why : why;
        write_held(w, launch->after, launch->after_count, !why);
    }
}

/* Which file each copy is one of, as it was named when the program was recorded. */
static void add_origins(const writer *w, const char *folder, const output_list *files,
                        hd_str *text) {
    hd_str_add(text, "origin:\n");
    for (size_t f = 0; f < files->count; f++) {
        const char *copy = hd_path_below(folder, files->data[f].path);
        const char *name = strchr(copy, '/') + 1;
        hd_str_printf(text, "  - {copy: %s, from: %s}\n", cli_yaml_name(w->c, copy),
                      cli_yaml_name(w->c, hd_format(w->arena, "%s/%s",
                                                    hd_path_folder(w->arena, w->path), name)));
    }
}

static const char *job_text(const writer *w, const char *folder, const char *kernels,
                            const char *options, const output_list *files, size_t *length) {
    hd_str text = {.arena = w->arena};
    hd_str_printf(&text, "kernel: %s\noptions: %s\n", cli_yaml_name(w->c, kernels),
                  cli_yaml_name(w->c, options));
    if (w->is_opencl) /* the device's compiler fuses, and has functions of its own */
        hd_str_add(&text, "tolerance: {relative: 1e-4, absolute: 1e-4}\n");
    else
        add_origins(w, folder, files, &text);
    if (w->buffers.count)
        hd_str_add(&text, "buffers:\n");
    for (size_t i = 0; i < w->buffers.count; i++) {
        const buffer *b = &w->buffers.data[i];
        hd_str_printf(&text, "  - {name: %s, ", cli_yaml_name(w->c, b->name));
        if (b->image)
            hd_str_printf(&text, "image: {%s}", kir_image_text(w->arena, b->image));
        else
            hd_str_printf(&text, "type: %s, count: %llu",
                          cli_yaml_name(w->c, element_type(b->pointer)),
                          (unsigned long long)(b->bytes / element_bytes(b->pointer)));
        if (b->at)
            hd_str_printf(&text, ", at: 0x%llx", (unsigned long long)b->at);
        if (b->file)
            hd_str_printf(&text, ", file: %s", contents_name(w, b->file));
        hd_str_add(&text, "}\n");
    }
    hd_str_printf(&text, "launches:\n%s", hd_str_text(&w->launches));
    *length = text.length;
    return hd_str_text(&text);
}

/* ---- the source ------------------------------------------------------------------------------------------- */

static const char no_lines[] = "the program does not say what its kernels come from; build it with "
                               "nvcc -lineinfo, or name the file with --source FILE";

/* What a compiler needs for a copy of the source, too: its folder, for headers that stay. */
static const char *options_for(cli *c, const char *path, const char *options) {
    char *word = hd_format(c->arena, "-I%s", hd_path_folder(c->arena, path));
    return hd_format(c->arena, "%s%s%s", options, *options ? " " : "",
                     hd_join_words(c->arena, &word, 1));
}

static const char *whole_path(cli *c, const char *path) {
    char *whole = realpath(path, NULL);
    const char *kept = whole ? hd_strdup(c->arena, whole) : path;
    free(whole);
    return kept;
}

/* What makes the instances that the program has launched, when its launches are gone. */
static const char *instances(const writer *w, const hd_without_launches *without) {
    hd_str text = {.arena = w->arena};
    hd_hash_table seen = {.arena = w->arena, .key_bytes = HD_TEXT_KEYS};
    static const char nameless[] = "(anonymous namespace)::";
    for (uint32_t l = 0; l < w->job->launch_count; l++) {
        const char *name = w->job->launches[l].kernel_name;
        if (hd_hash_add_key(&seen, name, l) != l)
            continue;
        if (!strncmp(name, nameless, strlen(nameless)))
            name += strlen(nameless);
        size_t length = strcspn(name, "<");
        for (uint32_t t = 0; name[length] && t < without->template_count; t++)
            if (strlen(without->templates[t]) == length &&
                !strncmp(name, without->templates[t], length))
                hd_str_printf(&text, "    (const void *)%s,\n", name);
    }
    return text.length
               ? hd_format(
                     w->arena,
                     "\n/* The instances that were recorded. */\nnamespace heddle_recorded {\n"
                     "const void *const kernels[] = {\n%s};\n}\n",
                     hd_str_text(&text))
               : "";
}

static void add_copy(const writer *w, const char *to, const char *name, const char *text,
                     output_list *files) {
    const char *path = hd_format(w->arena, "%s/%s", to, name);
    for (size_t f = 0; f < files->count; f++)
        if (!strcmp(files->data[f].path, path))
            return;
    hd_push(w->arena, files, (hd_output){path, text, strlen(text)});
}

/* The text of a file as the copy has it. */
static const char *text_of(const hd_without_launches *without, const char *path, const char *text) {
    for (uint32_t f = 0; f < without->file_count; f++)
        if (!strcmp(without->files[f].name, path))
            return without->files[f].text;
    return text;
}

/* The source, and its headers that lie in its folder or below: what goes into the folder `to`. */
static hd_status copy_source(const writer *w, const char *to, const hd_without_launches *without,
                             bool alone, output_list *files) {
    static const hd_without_launches as_it_is = {0};
    const hd_without_launches *texts = alone ? without : &as_it_is;
    hd_folders made = {0};
    char *text;
    size_t length;
    const char *folder = hd_path_folder(w->arena, w->path);
    hd_status status = hd_read_file(w->arena, &w->c->diag, w->path, &text, &length);
    if (status)
        return status;
    add_copy(w, to, hd_path_name(w->path),
             hd_format(w->arena, "%s%s%s", text_of(texts, w->path, text),
                       alone ? instances(w, without) : "",
                       alone ? "\n" HD_WITHOUT_LAUNCHES "\n" : ""),
             files);
    for (uint32_t h = 0; h < without->header_count; h++) {
        const kir_file *header = &without->headers[h];
        const char *name = hd_path_below(folder, whole_path(w->c, header->name));
        if (name)
            add_copy(w, to, name, text_of(texts, header->name, header->text), files);
    }
    for (size_t f = 0; f < files->count && !status; f++)
        status = hd_folders_make(w->arena, &w->c->diag,
                                 hd_path_folder(w->arena, files->data[f].path), &made);
    return status ? status : hd_write_files(&w->c->diag, files->data, files->count);
}

static void remove_files(const output_list *files) {
    for (size_t f = 0; f < files->count; f++)
        unlink(files->data[f].path);
}

/* Makes a copy of w->path in the folder `to` and compiles it; *why: what keeps it from that. */
static hd_status take_source(writer *w, const char *to, const char *options, output_list *files,
                             const char **why) {
    heard h = {w->arena, to, hd_path_folder(w->arena, w->path), NULL};
    const hd_diag diag = {hear, &h};
    hd_without_launches without;
    kir_module *module = NULL;
    if (access(w->path, R_OK)) {
        *why = hd_format(w->arena, "%s, which the kernels come from, is not there", w->path);
        return HD_OK;
    }
    hd_status compiled = hd_take_launches_out(w->arena, &diag, w->path, options, &without);
    /* Where the kernels do not stand alone, they are there with the host code. */
    for (int alone = without.file_count > 0; alone >= 0 && !module && !compiled; alone--) {
        *files = (output_list){0};
        hd_status status = copy_source(w, to, &without, alone, files);
        if (status)
            return status;
        compiled = hd_frontend(w->arena, &diag, files->data[0].path, options, &module);
        if (compiled && alone)
            compiled = HD_OK;
    }
    if (compiled)
        *why = hd_format(w->arena, "%s%s", h.text ? h.text : w->path,
                         compiled == HD_EINPUT
                             ? "; what nvcc was told of headers, macros and the language goes with "
                               "--options '-I DIR -DNAME -std=c++17'"
                             : "");
    for (uint32_t l = 0; !compiled && l < w->job->launch_count && !w->module; l++)
        if (kir_find_kernel(module, w->job->launches[l].kernel_name))
            w->module = module;
    if (!compiled && !w->module)
        *why = hd_format(w->arena, "%s has none of the kernels", w->path);
    if (!w->module)
        remove_files(files);
    return HD_OK;
}

/* Tries the files of a folder that are compiled by themselves and name this header. */
static hd_status try_includers(writer *w, const char *folder, const char *header, const char *to,
                               const char *options, output_list *files, const char **why) {
    struct dirent **entries;
    const char *name = hd_format(w->arena, "%s\"", hd_path_name(header));
    hd_status status = HD_OK;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *path = hd_format(w->arena, "%s/%s", folder, entries[i]->d_name);
        char *text;
        size_t length;
        if (!status && !w->module && hd_ends_in(path, ".cu") &&
            !hd_read_file(w->arena, &hd_silent, path, &text, &length) && strstr(text, name)) {
            w->path = whole_path(w->c, path);
            status = take_source(w, to, options_for(w->c, w->path, options), files, why);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return status;
}

/* A header that the kernels come from: what includes it lies beside it, a folder above, or here. */
static hd_status try_header(writer *w, const char *header, const char *to, const char *options,
                            output_list *files, const char **why) {
    const char *beside = hd_path_folder(w->arena, whole_path(w->c, header));
    const char *const folders[] = {beside, hd_path_folder(w->arena, beside), "."};
    hd_status status = HD_OK;
    for (size_t f = 0; f < sizeof folders / sizeof *folders && !status && !w->module; f++)
        status = try_includers(w, folders[f], header, to, options, files, why);
    return status;
}

/* Of what keeps files from being the source, that of one with kernels, or else the first. */
static const char *better_reason(const char *first, const char *why) {
    static const char none[] = "no kernel in this file";
    return !first || (why && strstr(first, none) && !strstr(why, none)) ? why : first;
}

/* Finds the source among the files that are given, and those that the PTX names; and those that
 * include one of these. */
static hd_status find_source(writer *w, const kir_module *ptx, const char *to,
                             const cli_source *said, output_list *files, const char **why) {
    const char *seen = NULL, *first = NULL, *options = said->options;
    hd_status status = HD_OK;
    for (size_t s = 0; s < said->sources.count && !w->module && !status; s++) {
        w->path = whole_path(w->c, said->sources.data[s]);
        status = take_source(w, to, options_for(w->c, w->path, options), files, why);
        first = better_reason(first, *why);
    }
    for (uint32_t f = 1; f < ptx->file_count && !w->module && !status; f++) {
        seen = seen ? seen : ptx->files[f].name;
        if (!hd_ends_in(ptx->files[f].name, ".cu") && !hd_ends_in(ptx->files[f].name, ".cuh"))
            continue;
        w->path = whole_path(w->c, ptx->files[f].name);
        status = take_source(w, to, options_for(w->c, w->path, options), files, why);
        first = better_reason(first, *why);
    }
    for (uint32_t f = 1; f < ptx->file_count && !w->module && !status && !first; f++)
        status = try_header(w, ptx->files[f].name, to, options, files, why);
    *why = w->module ? NULL
           : first   ? first
           : seen    ? hd_format(w->arena,
                                 "the kernels come from %s, and not from a file that is compiled by "
                                    "itself (.cu)",
                                 seen)
                     : no_lines;
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

static hd_status write_job(writer *w, const char *folder, const char *name, const char *kernels,
                           const char *options, const output_list *files, cli_source_job *result) {
    size_t length;
    const char *path = hd_format(w->arena, "%s/%s", folder, name);
    const char *text = job_text(w, folder, kernels, options, files, &length);
    hd_status status = hd_write_file(&w->c->diag, path, text, length);
    if (status)
        return status;
    heard h = {.arena = w->arena}; /* the job as any command will read it */
    const hd_diag diag = {hear, &h};
    hd_job *job;
    if (hd_job_read(w->arena, &diag, path, &job) || hd_job_check_options(w->arena, &diag, job) ||
        hd_job_resolve(w->arena, &diag, job, w->module)) {
        unlink(path);
        result->why = h.text ? h.text : "a job could not be made of it";
        return HD_OK;
    }
    result->file = name;
    result->path = w->path;
    result->launches = w->launch_count;
    for (size_t b = 0; b < w->buffers.count; b++)
        result->has_records |= w->buffers.data[b].pointer && w->buffers.data[b].pointer->record;
    if (w->left_out > 1)
        result->why =
            hd_format(w->arena, "%s (the first of %llu)", w->why, (unsigned long long)w->left_out);
    return HD_OK;
}

hd_status cli_make_source_job(cli *c, const char *folder, const char *number,
                              const cli_source *said, cli_source_job *result) {
    writer w = {.c = c, .arena = c->arena, .launches.arena = c->arena};
    hd_job *job;
    kir_module *ptx;
    output_list files = {0};
    const char *recorded = hd_format(c->arena, "%s/job%s.yaml", folder, number);
    const char *to = hd_format(c->arena, "%s/source%s", folder, number);
    *result = (cli_source_job){0};
    char *text;
    size_t length;
    hd_status status = hd_job_read(c->arena, &c->diag, recorded, &job);
    if (status || (status = hd_read_file(c->arena, &c->diag, job->kernel_path, &text, &length)))
        return status;
    if (!said->sources.count &&
        !strstr(text, ".file")) { /* so that large modules cost nothing here */
        result->why = no_lines;
        return HD_OK;
    }
    if ((status = hd_frontend(c->arena, &c->diag, job->kernel_path, NULL, &ptx)) ||
        (status = hd_job_resolve(c->arena, &c->diag, job, ptx)))
        return status;
    w.job = job;
    w.names = (hd_hash_table){.arena = c->arena, .key_bytes = HD_TEXT_KEYS};
    status = find_source(&w, ptx, to, said, &files, &result->why);
    if (status || !w.module)
        return status;
    add_launches(&w);
    result->why = w.why;
    if (w.launch_count)
        status = write_job(&w, folder, hd_format(c->arena, "source%s.yaml", number),
                           hd_format(c->arena, "source%s/%s", number, hd_path_name(w.path)),
                           options_for(c, w.path, said->options), &files, result);
    if (!result->file)
        remove_files(&files);
    return status;
}

/* The module with pointers to bytes, as those of PTX are: what a recorded job gives to them. */
static const kir_module *of_bytes(hd_arena *arena, const kir_module *module) {
    kir_module *bytes = hd_new(arena, kir_module);
    *bytes = *module;
    bytes->kernels = hd_new_array(arena, kir_kernel *, module->kernel_count + 1);
    for (uint32_t k = 0; k < module->kernel_count; k++) {
        kir_kernel *kernel = bytes->kernels[k] = hd_new(arena, kir_kernel);
        *kernel = *module->kernels[k];
        kernel->params = hd_new_array(arena, kir_param, kernel->param_count + 1);
        memcpy(kernel->params, module->kernels[k]->params,
               kernel->param_count * sizeof *kernel->params);
        for (uint32_t p = 0; p < kernel->param_count; p++)
            if (is_pointer(&kernel->params[p])) {
                kernel->params[p].record = NULL;
                kernel->params[p].element_type = NULL;
                kernel->params[p].element_bytes = 0;
            }
    }
    return bytes;
}

hd_status cli_make_opencl_job(cli *c, const char *folder, const char *number,
                              cli_source_job *result) {
    writer w = {.c = c, .arena = c->arena, .launches.arena = c->arena, .is_opencl = true};
    const char *name = hd_format(c->arena, "job%s.yaml", number);
    heard h = {.arena = c->arena};
    const hd_diag diag = {hear, &h};
    const output_list none = {0};
    kir_module *module;
    hd_job *job;
    *result = (cli_source_job){0};
    const char *options = "";
    hd_status status =
        hd_job_read(c->arena, &c->diag, hd_format(c->arena, "%s/%s", folder, name), &job);
    if (!status)
        status = cli_copy_headers(c, folder, job->kernel_path, job->options, &options);
    if (status)
        return status;
    if (hd_frontend(c->arena, &diag, job->kernel_path, job->options, &module) ||
        hd_job_resolve(c->arena, &diag, job, of_bytes(c->arena, module))) {
        result->why = h.text ? h.text : "its kernels are not taken";
        return HD_OK;
    }
    w.job = job;
    w.module = module;
    w.path = job->kernel_path;
    w.names = (hd_hash_table){.arena = c->arena, .key_bytes = HD_TEXT_KEYS};
    add_launches(&w);
    result->why = w.why;
    return w.launch_count
               ? write_job(&w, folder, name, hd_path_name(job->kernel_path), options, &none, result)
               : HD_OK;
}

/* ---- the program's own files ------------------------------------------------------------------------- */

static void add_source(cli *c, cli_texts *all, const char *path) {
    const char *whole = whole_path(c, path);
    for (size_t i = 0; i < all->count; i++)
        if (!strcmp(all->data[i], whole))
            return;
    hd_push(c->arena, all, whole);
}

/* A call or definition of main() as a word of a file; what cannot be read has none. */
static bool has_main(cli *c, const char *path) {
    char *text;
    size_t length;
    if (hd_read_file(c->arena, &hd_silent, path, &text, &length))
        return false;
    for (const char *at = text; (at = strstr(at, "main")) != NULL; at += 4) {
        bool begins = at == text || (at[-1] != '_' && !isalnum((unsigned char)at[-1]));
        if (begins && at[4 + strspn(at + 4, " \t\n")] == '(')
            return true;
    }
    return false;
}

static bool any_has_main(cli *c, const cli_texts *files) {
    for (size_t f = 0; f < files->count; f++)
        if (has_main(c, files->data[f]))
            return true;
    return false;
}

/* The only file in the folder of the kernels that has main(), where theirs have none. */
static void add_main(cli *c, cli_texts *all) {
    const char *folder = hd_path_folder(c->arena, all->data[0]), *found = NULL;
    struct dirent **entries;
    int count = any_has_main(c, all) ? -1 : scandir(folder, &entries, NULL, alphasort);
    unsigned mains = 0;
    for (int i = 0; i < count; i++) {
        const char *path = hd_format(c->arena, "%s/%s", folder, entries[i]->d_name);
        if (cli_is_host_code(path) && has_main(c, path)) {
            found = path;
            mains++;
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (mains == 1)
        add_source(c, all, found);
}

hd_status cli_add_sources(cli *c, const char *folder, const cli_source_job *jobs, size_t count,
                          const cli_source *said, char **program) {
    hd_status status = HD_OK;
    uint32_t words = 0;
    while (program[words])
        words++;
    char **whole = hd_new_array(c->arena, char *, words);
    memcpy(whole, program, words * sizeof *whole);
    whole[0] = hd_strdup(c->arena, whole_path(c, cli_program_file(c->arena, program[0])));
    for (size_t j = 0; j < count && !status; j++) {
        const char *path = hd_format(c->arena, "%s/%s", folder, jobs[j].file);
        hd_str text = {.arena = c->arena};
        cli_texts all = {0};
        char *job;
        size_t length;
        if (!jobs[j].file)
            continue;
        add_source(c, &all, jobs[j].path);
        for (size_t o = 0; o < count; o++)
            if (jobs[o].file)
                add_source(c, &all, jobs[o].path);
        for (size_t s = 0; s < said->sources.count; s++)
            add_source(c, &all, said->sources.data[s]);
        add_main(c, &all);
        if ((status = hd_read_file(c->arena, &c->diag, path, &job, &length)))
            break;
        hd_str_printf(&text, "%ssources:\n", job);
        for (size_t s = 0; s < all.count; s++)
            hd_str_printf(&text, "  - %s\n", cli_yaml_name(c, all.data[s]));
        hd_str_printf(&text, "program: %s\n",
                      cli_yaml_name(c, hd_join_words(c->arena, whole, words)));
        status = hd_write_file(&c->diag, path, text.data, text.length);
    }
    return status;
}

/* The copy begins with what the file without its launches is now. */
static hd_status is_unchanged(cli *c, const hd_job *job, bool *same) {
    hd_without_launches without;
    char *copy, *now;
    size_t length;
    hd_status status = hd_read_file(c->arena, &c->diag, job->kernel_path, &copy, &length);
    if (!status)
        status = hd_read_file(c->arena, &c->diag, job->sources[0], &now, &length);
    if (status)
        return status;
    *same = !strcmp(copy, now);
    if (*same ||
        hd_take_launches_out(c->arena, &hd_silent, job->sources[0], job->options, &without))
        return HD_OK;
    now = (char *)text_of(&without, job->sources[0], now);
    *same = !strncmp(copy, now, strlen(now));
    return HD_OK;
}

bool cli_is_host_code(const char *path) {
    return hd_ends_in(path, ".cu") || hd_ends_in(path, ".cpp") || hd_ends_in(path, ".cc") ||
           hd_ends_in(path, ".cxx");
}

hd_status cli_check_program_files(cli *c, const hd_job *job) {
    cli_texts all = {0};
    for (uint32_t s = 0; s < job->source_count; s++)
        hd_push(c->arena, &all, job->sources[s]);
    return !all.count || any_has_main(c, &all)
               ? HD_OK
               : hd_fail(&c->diag, HD_EINPUT, &(hd_place){.file = job->sources[0]},
                         "no file of the program that is known has main(), and what is rewritten "
                         "would be no program; name its other files with --source FILE, or what "
                         "builds it with --build COMMAND");
}

hd_status cli_find_sources(cli *c, const cli_texts *wanted, hd_job *job) {
    const hd_place place = {.file = job->path ? job->path : job->kernel_path};
    cli_texts all = {0};
    bool same = true;
    for (uint32_t s = 0; s < job->source_count; s++) { /* one that is given takes its place */
        const char *path = job->sources[s];
        for (size_t g = 0; g < wanted->count; g++)
            if (!strcmp(hd_path_name(wanted->data[g]), hd_path_name(path)))
                path = wanted->data[g];
        add_source(c, &all, path);
    }
    for (size_t g = 0; g < wanted->count; g++)
        add_source(c, &all, wanted->data[g]);
    for (size_t s = 0; s < all.count; s++)
        if (access(all.data[s], R_OK))
            return hd_fail(&c->diag, HD_EINPUT, &place,
                           "the program's own file %s is not there, and what was recorded of it "
                           "has no host code; say where it is now with --source FILE",
                           all.data[s]);
    if (wanted->count && !job->source_count)
        return cli_refuse(c, "--source goes with a recording of a program; a kernel file is its "
                             "own source");
    job->sources = all.data;
    job->source_count = (uint32_t)all.count;
    hd_status status = job->source_count ? is_unchanged(c, job, &same) : HD_OK;
    return status || same ? status
                          : hd_fail(&c->diag, HD_EINPUT, &(hd_place){.file = job->sources[0]},
                                    "this file is not what was recorded any more; build the "
                                    "program and record it again");
}
