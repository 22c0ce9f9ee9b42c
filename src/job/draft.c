/*
 * A job to start from, for all kernels of a file. Launches are a list, one round of each loop; beside
 * it stands what is printed, in the order in which it happens and in the groups of the loops.
 *
 * Sizes, arguments and memory come from the host code where it says them. What it does not say is
 * guessed as for a job from flags (flags.c), but with fewer threads, so that a kernel whose work
 * grows with their square still runs on the machine.
 */
#include "job/internal.h"
#include "kernel/host_code.h"

typedef struct drafter {
    hd_arena *arena;
    const hd_diag *diag;
    const hd_job_flags *flags;
    const kir_module *module;
    const hd_host *host;
    hd_job *job;
    hd_vec(hd_buffer) buffers;
    hd_vec(uint32_t) memories; /* of the buffers: which of the host's, KIR_NONE: none */
    hd_vec(uint32_t) element_bytes;
    hd_vec(hd_launch) launches;
    hd_vec(const hd_host_launch *) origins; /* of the launches; NULL: none was found */
    hd_vec(hd_draft_entry) entries;
    uint32_t writes; /* of the host's that have their entries */
} drafter;

/* ---- names ----------------------------------------------------------------------------------------- */

/* But for blanks; up to `end`, or a '<' that stands for it. */
static bool same_name(const char *a, const char *b, char end) {
    for (;; a++, b++) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        bool a_ends = !*a || *a == end, b_ends = !*b || *b == end;
        if (a_ends || b_ends)
            return a_ends && b_ends;
        if (*a != *b)
            return false;
    }
}

static bool launches_kernel(const hd_host_launch *launch, const kir_kernel *kernel) {
    bool is_template = !strchr(launch->kernel, '<') && strchr(kernel->name, '<');
    return same_name(launch->kernel, kernel->name, '\0') || !strcmp(launch->symbol, kernel->name) ||
           (is_template && same_name(launch->kernel, kernel->name, '<'));
}

/* One that no buffer has. */
static const char *new_name(const drafter *d, const char *wanted) {
    const char *name = wanted;
    for (uint32_t number = 2;; number++) {
        size_t b = 0;
        while (b < d->buffers.count && strcmp(d->buffers.data[b].name, name))
            b++;
        if (b == d->buffers.count)
            return name;
        name = hd_format(d->arena, "%s_%u", wanted, number);
    }
}

/* "file.cu:12", of a place that may have no file. */
static const char *name_of_place(const drafter *d, const hd_place *place) {
    return hd_format(d->arena, "%s:%u", place->file ? hd_path_name(place->file) : "", place->line);
}

/* ---- sizes ------------------------------------------------------------------------------------------ */

typedef struct sizes {
    uint32_t dims;
    uint64_t groups[3], local[3];
    bool knows_groups, knows_local;
} sizes;

static bool take_sizes(const hd_host_value *value, uint64_t *to, uint32_t *dims) {
    bool known = value->kind == HD_HOST_WHOLE || value->kind == HD_HOST_SIZE;
    for (uint32_t d = 0; d < 3; d++) {
        int64_t part = value->kind == HD_HOST_SIZE || !d ? value->parts[d] : 1;
        known = known && part > 0;
        to[d] = known ? (uint64_t)part : 1;
        if (to[d] > 1 && *dims <= d)
            *dims = d + 1;
    }
    return known;
}

/* Those of the flags, for any kernel. */
static sizes sizes_of_flags(const hd_job_flags *flags) {
    sizes s = {.dims = flags->dims, .knows_groups = flags->global[0], .knows_local = true};
    for (uint32_t d = 0; d < 3; d++) {
        uint64_t global = flags->global[d] ? flags->global[d] : d ? 1 : 4096;
        s.local[d] = flags->local[d] ? flags->local[d] : d ? 1 : job_power_dividing(global, 256);
        s.groups[d] = (global + s.local[d] - 1) / s.local[d];
    }
    return s;
}

/* All threads are known, in `groups`; in blocks that the host gives, or leaves to the driver. */
static void divide_global(sizes *s) {
    for (uint32_t d = 0; d < 3; d++) {
        if (!s->knows_local)
            s->local[d] = job_power_dividing(s->groups[d], d || s->dims > 1 ? 16 : 256);
        s->groups[d] = (s->groups[d] + s->local[d] - 1) / s->local[d];
    }
    s->knows_groups = s->knows_local = true;
}

static sizes sizes_of(const kir_kernel *kernel, const hd_host_launch *launch) {
    static const uint64_t locals[3][3] = {{256, 1, 1}, {16, 16, 1}, {8, 8, 4}};
    static const uint64_t groups[3][3] = {{16, 1, 1}, {4, 4, 1}, {4, 4, 4}};
    sizes s = {.dims = 1};
    if (launch) {
        s.knows_groups = take_sizes(&launch->blocks, s.groups, &s.dims);
        s.knows_local = take_sizes(&launch->threads, s.local, &s.dims);
        if (launch->global.kind && take_sizes(&launch->global, s.groups, &s.dims))
            divide_global(&s);
    }
    uint32_t dims = s.knows_groups || s.knows_local ? s.dims : job_dims_of(kernel);
    s.dims = dims;
    if (!s.knows_local)
        memcpy(s.local, locals[dims - 1], sizeof s.local);
    if (!s.knows_groups)
        memcpy(s.groups, groups[dims - 1], sizeof s.groups);
    for (uint32_t d = 0; d < 3 && kernel->required_local[0] && !s.knows_local; d++)
        s.local[d] = kernel->required_local[d] ? kernel->required_local[d] : 1;
    return s;
}

static const char *size_note(const drafter *d, const kir_kernel *kernel, const sizes *s,
                             const hd_host_launch *launch) {
    bool required = kernel->required_local[0] && !s->knows_local;
    const char *unit = KIR_HAS(d->module, BLOCKS) ? "threads" : "work-items";
    const char *groups = KIR_HAS(d->module, BLOCKS) ? "blocks" : "global size";
    const char *guess =
        s->knows_groups && s->knows_local ? ""
        : s->knows_local ? hd_format(d->arena, "; the number of %s is a guess", groups)
        : required ? hd_format(d->arena, "; the %s is a guess, the local size required", groups)
        : s->knows_groups ? hd_format(d->arena, "; the %s of a block are a guess", unit)
                          : "; the sizes are a guess";
    if (!launch)
        return hd_format(d->arena, "%s%s%s", name_of_place(d, &kernel->place),
                         KIR_HAS(d->module, BLOCKS) ? ": no launch was found" : "", guess);
    return hd_format(d->arena, "%s: %.100s%s", name_of_place(d, &launch->place), launch->text,
                     guess);
}

/* ---- buffers ---------------------------------------------------------------------------------------- */

/* What a job file can say of the contents. */
static void keep_inits(const hd_record *record, hd_buffer *buffer) {
    hd_arena *scratch = hd_arena_new();
    uint32_t kept = 0;
    for (uint32_t i = 0; i < buffer->init_count; i++) {
        uint32_t leaves = 0, opaque = 0;
        const hd_leaf *list =
            record && buffer->inits[i].field
                ? hd_leaves_of_record(scratch, record, buffer->inits[i].field, &leaves)
                : NULL;
        for (uint32_t l = 0; l < leaves; l++)
            opaque += list[l].opaque;
        if (!opaque)
            buffer->inits[kept++] = buffer->inits[i];
    }
    buffer->init_count = kept;
    hd_arena_free(scratch);
}

/* The buffer for this parameter: one that an earlier launch has given the same memory, or a
 * parameter of the same name, if its elements are of the same size. */
static uint32_t buffer_for(drafter *d, const kir_param *param, const hd_buffer *guessed,
                           uint32_t memory) {
    const hd_host_memory *m = memory == KIR_NONE ? NULL : &d->host->memories[memory];
    uint32_t bytes = param->element_bytes ? param->element_bytes : 4;
    const char *wanted = m ? m->name : param->name;
    for (uint32_t b = 0; b < d->buffers.count; b++) {
        hd_buffer *known = &d->buffers.data[b];
        bool same = m ? d->memories.data[b] == memory
                      : d->memories.data[b] == KIR_NONE && !strcmp(known->name, wanted);
        if (!same || d->element_bytes.data[b] != bytes || strcmp(known->type, guessed->type) != 0 ||
            !known->image != !guessed->image)
            continue;
        bool grows = known->count < guessed->count && (!m || m->bytes.kind != HD_HOST_WHOLE);
        known->count = grows ? guessed->count : known->count;
        return b;
    }
    hd_buffer made = *guessed;
    made.name = new_name(d, wanted);
    keep_inits(param->record, &made);
    const char *unit = KIR_HAS(d->module, BLOCKS) ? "thread" : "work-item";
    if (made.image) {
        made.note = "the sizes and channels are a guess";
    } else if (d->flags->count) {
        made.note = NULL;
    } else if (m && m->bytes.kind == HD_HOST_WHOLE && m->bytes.parts[0] >= (int64_t)bytes) {
        made.count = (uint64_t)m->bytes.parts[0] / bytes;
        made.is_counted = true;
        made.guess = "contents";
        made.note = hd_format(d->arena, "%s: %.80s bytes", name_of_place(d, &m->place), m->text);
    } else {
        made.note = hd_format(d->arena, "the count is a guess: one for each %s", unit);
    }
    hd_push(d->arena, &d->buffers, made);
    hd_push(d->arena, &d->memories, m ? memory : KIR_NONE);
    hd_push(d->arena, &d->element_bytes, bytes);
    return (uint32_t)d->buffers.count - 1;
}

/* ---- arguments -------------------------------------------------------------------------------------- */

/* Each value of the flags must be some kernel's. */
static hd_status check_values(const drafter *d) {
    for (uint32_t v = 0; v < d->flags->value_count; v++) {
        bool found = false;
        for (uint32_t k = 0; k < d->module->kernel_count; k++)
            for (uint32_t p = 0; p < d->module->kernels[k]->param_count; p++)
                found |= job_flag_is_of(&d->module->kernels[k]->params[p], d->flags->values[v]);
        if (!found)
            return hd_fail(d->diag, HD_EINPUT, &(hd_place){.file = d->flags->kernel_path},
                           "'%s' does not give a scalar argument of any kernel as name=value",
                           d->flags->values[v]);
    }
    return HD_OK;
}

/* The text of a value that the host code gives; NULL: it is not known, or does not fit. */
static const char *text_of(const drafter *d, const kir_param *param, const hd_host_value *v) {
    if (param->by_value_struct || param->type.kind == KIR_PTR || param->type.lanes > 1)
        return NULL;
    const char *text = NULL;
    float single = (float)v->real;
    if (v->kind == HD_HOST_WHOLE)
        text = hd_format(d->arena, "%lld", (long long)v->parts[0]);
    else if (v->kind == HD_HOST_REAL)
        text = param->type.kind == KIR_FLOAT && param->type.bits == 32
                   ? hd_type_print(d->arena, param->type, true, &single)
                   : hd_format(d->arena, "%.17g", v->real);
    uint8_t bytes[16];
    bool fits = text && (hd_type_parse_value(param->type, true, text, bytes) ||
                         hd_type_parse_value(param->type, false, text, bytes));
    return fits ? text : NULL;
}

/* A struct's scalars in the order of memory; a number that is not known is that of `guess`, which has
 * all of them, or is "1". `note`: what of it is a guess, or NULL. */
static const char *text_of_members(const drafter *d, const kir_kernel *kernel, uint32_t param,
                                   const char *guess, const hd_host_value *v, const char **note,
                                   bool *is_guess) {
    hd_arena *scratch = hd_arena_new();
    hd_str text = {.arena = d->arena};
    uint32_t count = 0, at = 0;
    bool has_pointers = false;
    *note = NULL;
    const hd_leaf *leaves =
        kernel->params[param].record
            ? hd_leaves_of_record(scratch, kernel->params[param].record, NULL, &count)
            : NULL;
    for (uint32_t l = 0; l < count; l++) {
        has_pointers |= leaves[l].is_pointer;
        for (uint32_t lane = 0; lane < leaves[l].type.lanes && !leaves[l].is_pointer; lane++) {
            kir_param one = {.type = leaves[l].type};
            one.type.lanes = 1;
            const char *number = at < v->member_count ? text_of(d, &one, &v->members[at]) : NULL;
            size_t length = strcspn(guess, ",");
            if (!number)
                *note = hd_format(d->arena, "%s%.*s",
                                  *note ? hd_format(d->arena, "%s, ", *note)
                                        : "a guess where the host code does not say: ",
                                  (int)length, guess);
            if (number)
                hd_str_printf(&text, "%s%s", at++ ? ", " : "", number);
            else
                hd_str_printf(&text, "%s%.*s", at++ ? ", " : "", (int)length, guess);
            guess += guess[length] ? length + 2 : 0;
        }
    }
    *is_guess = *note != NULL;
    if (has_pointers)
        *note = "a guess: the pointers in it are null, since a job cannot give them memory";
    hd_arena_free(scratch);
    return at && at == v->member_count ? hd_str_text(&text) : NULL;
}

/* What a loop counts, where that is the group that the launch is in. */
static void draft_round(const drafter *d, const hd_host_value *v, int32_t loop, hd_arg *arg) {
    if (!v->counts || (int32_t)v->counts - 1 != loop)
        return;
    hd_str text = {.arena = d->arena};
    hd_str_printf(&text, "round: %lld", (long long)v->parts[0]);
    if (v->factor != 1)
        hd_str_printf(&text, ", factor: %lld", (long long)v->factor);
    else if (v->step != 1)
        hd_str_printf(&text, ", step: %lld", (long long)v->step);
    if (d->host->loops[loop].rounds == 1)
        arg->round_text = hd_str_text(&text);
    else
        arg->note = "of the first round; the host counts it";
}

static void draft_arg(drafter *d, const kir_kernel *kernel, const hd_job *guess,
                      const hd_host_value *v, int32_t loop, hd_arg *arg) {
    const char *members, *note;
    bool is_guess;
    uint32_t p = (uint32_t)(arg - guess->launches->args);
    const kir_param *param = &kernel->params[p];
    bool is_null = v->kind == HD_HOST_WHOLE && !v->parts[0];
    if (arg->kind == HD_ARG_BUFFER && is_null) {
        arg->kind = HD_ARG_VALUE;
        arg->buffer_name = NULL;
        arg->bytes_text = "0000000000000000";
    } else if (arg->kind == HD_ARG_BUFFER) {
        uint32_t memory = v->kind == HD_HOST_MEMORY ? v->memory : KIR_NONE;
        uint32_t b = buffer_for(d, param, &guess->buffers[arg->buffer], memory);
        arg->buffer_name = d->buffers.data[b].name;
    } else if (arg->kind == HD_ARG_LOCAL) {
        arg->note = "a guess: one element for each work-item of a group";
        if (v->kind == HD_HOST_WHOLE && v->parts[0] > 0) {
            arg->local_bytes = (uint64_t)v->parts[0];
            arg->note = arg->guess = NULL;
        }
    } else if (job_flag_of(d->flags, param)) {
        arg->note = NULL;
    } else if (text_of(d, param, v)) {
        arg->value_text = text_of(d, param, v);
        arg->guess = NULL;
        draft_round(d, v, loop, arg);
    } else if (v->kind == HD_HOST_MEMBERS && param->by_value_struct &&
               (members = text_of_members(d, kernel, p, arg->value_text, v, &note, &is_guess)) !=
                   NULL) {
        arg->value_text = members;
        arg->note = note;
        arg->guess = is_guess ? "value" : NULL;
    } else {
        arg->note = param->type.kind == KIR_INT && !param->by_value_struct && !arg->is_sampler
                        ? "a guess, by the number of threads"
                        : "a guess";
    }
}

/* ---- variables of the file that the host writes ------------------------------------------------------- */

static uint32_t buffer_of(const drafter *d, uint32_t memory) {
    for (uint32_t b = 0; b < d->buffers.count; b++)
        if (d->memories.data[b] == memory)
            return b;
    return KIR_NONE;
}

/* Of as many bytes, which stands for the variable. */
static uint32_t add_buffer_of(drafter *d, const kir_static *variable, uint32_t memory) {
    const hd_host_memory *m = &d->host->memories[memory];
    uint32_t record = variable->record ? variable->record->size : 0;
    bool has_record = record && variable->bytes % record == 0;
    kir_type type;
    bool is_signed, is_known = hd_type_parse(m->element, &type, &is_signed);
    uint32_t each = has_record ? record
                    : is_known ? hd_type_stride(type)
                               : (variable->bytes % 4 ? 1 : 4);
    hd_init *init = hd_new(d->arena, hd_init);
    *init = (hd_init){.generator = HD_GEN_UNIFORM, .high = 1, .seed = 1};
    hd_buffer made = {.name = new_name(d, m->name),
                      .type = has_record  ? variable->record->name
                              : is_known  ? m->element
                              : each == 4 ? "uint"
                                          : "uchar",
                      .count = variable->bytes / each,
                      .inits = init,
                      .init_count = has_record ? 0 : 1,
                      .guess = "contents",
                      .note =
                          hd_format(d->arena, "%s: %.80s", name_of_place(d, &m->place), m->text)};
    hd_push(d->arena, &d->buffers, made);
    hd_push(d->arena, &d->memories, memory);
    hd_push(d->arena, &d->element_bytes, each);
    return (uint32_t)d->buffers.count - 1;
}

/* Each that the kernel uses becomes an argument of the launch: its buffer. */
static void draft_variables(drafter *d, const kir_kernel *kernel, hd_launch *launch) {
    for (uint32_t m = 0; m < d->host->memory_count; m++) {
        const char *symbol = d->host->memories[m].symbol;
        const kir_static *variable = NULL;
        for (uint32_t s = 0; s < kernel->static_count && symbol && !variable; s++)
            if (kernel->statics[s].space != KIR_LOCAL && !strcmp(kernel->statics[s].name, symbol))
                variable = &kernel->statics[s];
        if (!variable || !variable->bytes)
            continue;
        uint32_t b = buffer_of(d, m);
        if (b == KIR_NONE)
            b = add_buffer_of(d, variable, m);
        hd_arg *args = hd_new_array(d->arena, hd_arg, launch->arg_count + 1);
        memcpy(args, launch->args, launch->arg_count * sizeof *args);
        args[launch->arg_count++] = (hd_arg){.name = symbol,
                                             .kind = HD_ARG_BUFFER,
                                             .buffer_name = d->buffers.data[b].name,
                                             .place = launch->place};
        launch->args = args;
    }
}

/* ---- what is written between launches ------------------------------------------------------------------ */

/* The bytes are those of the whole buffer, or not known. */
static bool is_whole(const drafter *d, uint32_t b, const hd_host_value *bytes) {
    return bytes->kind != HD_HOST_WHOLE ||
           (uint64_t)bytes->parts[0] / d->element_bytes.data[b] == d->buffers.data[b].count;
}

/* Whether the value is one of all scalars of the buffer. */
static bool takes(const drafter *d, uint32_t b, const char *text) {
    kir_type type;
    bool is_signed;
    uint8_t bytes[16];
    return !strcmp(text, "0") ||
           (hd_type_parse(d->buffers.data[b].type, &type, &is_signed) && type.lanes == 1 &&
            hd_type_parse_value(type, is_signed, text, bytes));
}

static void draft_write(drafter *d, const hd_host_write *w) {
    uint32_t to = buffer_of(d, w->to), from = KIR_NONE;
    hd_held held = {.kind = HD_HELD_FILL, .place = w->place};
    if (to == KIR_NONE)
        return;
    held.buffer_name = d->buffers.data[to].name;
    if (w->from != HD_HOST_NO_MEMORY) {
        from = buffer_of(d, w->from);
        if (from == KIR_NONE || from == to || !is_whole(d, to, &w->bytes) ||
            strcmp(d->buffers.data[from].type, d->buffers.data[to].type) != 0 ||
            d->buffers.data[from].count != d->buffers.data[to].count)
            return;
        held.kind = HD_HELD_COPY;
        held.from_name = d->buffers.data[from].name;
    } else if (w->first_only) {
        held.kind = HD_HELD_SET;
        held.value_text = w->value.kind == HD_HOST_REAL
                              ? hd_format(d->arena, "%.9g", w->value.real)
                              : hd_format(d->arena, "%lld", (long long)w->value.parts[0]);
        bool one = w->bytes.kind != HD_HOST_WHOLE ||
                   (uint64_t)w->bytes.parts[0] == d->element_bytes.data[to];
        if (!one || !takes(d, to, held.value_text))
            return;
    } else {
        bool all_ones = (w->value.parts[0] & 255) == 255;
        if (!is_whole(d, to, &w->bytes) || (w->value.parts[0] && !all_ones))
            return;
        held.value_text = all_ones ? "-1" : "0";
        if (!takes(d, to, held.value_text))
            return;
    }
    hd_push(d->arena, &d->entries,
            (hd_draft_entry){.launch = KIR_NONE,
                             .held = held,
                             .group = w->loop,
                             .note = name_of_place(d, &w->place)});
}

/* What the host writes before its launch of this number. */
static void draft_writes(drafter *d, uint32_t launches) {
    for (; d->writes < d->host->write_count && d->host->writes[d->writes].launches <= launches;
         d->writes++)
        draft_write(d, &d->host->writes[d->writes]);
}

/* ---- groups --------------------------------------------------------------------------------------------- */

/* How many rounds of `until` there may be, where only data say. */
enum { MOST_ROUNDS = 100 };

static bool has_launch(const drafter *d, int32_t loop) {
    for (size_t e = 0; e < d->entries.count; e++)
        for (int32_t g = d->entries.data[e].group; g >= 0; g = d->host->loops[g].outer)
            if (g == loop && d->entries.data[e].launch != KIR_NONE)
                return true;
    return false;
}

/* A group with `until` ends with a launch, and holds no other one. */
static bool may_end(const drafter *d, int32_t loop) {
    bool ends_with_launch = false;
    for (size_t e = 0; e < d->entries.count; e++)
        for (int32_t g = d->entries.data[e].group; g >= 0; g = d->host->loops[g].outer) {
            if (g == loop)
                ends_with_launch = d->entries.data[e].launch != KIR_NONE;
            else if (d->host->loops[g].has_end)
                for (int32_t o = d->host->loops[g].outer; o >= 0; o = d->host->loops[o].outer)
                    if (o == loop)
                        return false;
        }
    return ends_with_launch;
}

static hd_draft_group group_of(const drafter *d, int32_t number) {
    const hd_host_loop *loop = &d->host->loops[number];
    const char *at = hd_format(d->arena, "%s: a loop", name_of_place(d, &loop->place));
    hd_draft_group group = {.outer = loop->outer, .repeat = 1};
    uint32_t b = loop->has_end ? buffer_of(d, loop->memory) : KIR_NONE;
    const char *value = hd_format(d->arena, "%lld", (long long)loop->end.parts[0]);
    if (b != KIR_NONE && takes(d, b, value) && may_end(d, number)) {
        hd_until *until = hd_new(d->arena, hd_until);
        *until = (hd_until){.spot = {.buffer_name = d->buffers.data[b].name}, .value_text = value};
        group.until = until;
        group.repeat = loop->trips ? loop->trips : MOST_ROUNDS;
        group.note =
            hd_format(d->arena, "%s%s", at, loop->trips ? "" : "; the most rounds are a guess");
    } else if (!loop->trips) {
        group.note = hd_format(d->arena, "%s, of which the number of rounds is not known%s", at,
                               loop->rounds == 2 ? "; two of its rounds, which swap pointers" : "");
    } else if (loop->rounds == 2) {
        group.repeat = (loop->trips + 1) / 2;
        group.note = hd_format(d->arena, "%s of %llu rounds; two of them, which swap pointers", at,
                               (ull)loop->trips);
    } else {
        group.repeat = loop->trips;
        group.note = at;
    }
    return group;
}

static void draft_groups(drafter *d, hd_job *job) {
    for (uint32_t l = 0; l < d->launches.count; l++) {
        const hd_host_launch *launch = d->origins.data[l];
        draft_writes(d, launch ? (uint32_t)(launch - d->host->launches) : UINT32_MAX);
        hd_push(d->arena, &d->entries,
                (hd_draft_entry){.launch = l, .group = launch ? launch->loop : -1});
    }
    draft_writes(d, UINT32_MAX);
    job->entries = d->entries.data;
    job->entry_count = (uint32_t)d->entries.count;
    job->group_count = d->host->loop_count;
    job->groups = hd_new_array(d->arena, hd_draft_group, job->group_count);
    for (uint32_t e = 0; e < job->entry_count; e++) /* what is written in loops without launches */
        while (job->entries[e].group >= 0 && !has_launch(d, job->entries[e].group))
            job->entries[e].group = d->host->loops[job->entries[e].group].outer;
    for (uint32_t g = 0; g < job->group_count; g++)
        job->groups[g] = group_of(d, (int32_t)g);
}

/* ---- launches ---------------------------------------------------------------------------------------- */

/* Errors about one kernel are no errors of the file. */
static void tell_as_warning(const hd_message *message, void *user) {
    const drafter *d = user;
    hd_message milder = *message;
    if (milder.severity == HD_ERROR)
        milder.severity = HD_WARNING;
    if (d->diag->fn)
        d->diag->fn(&milder, d->diag->user);
}

static void draft_launch(drafter *d, const kir_kernel *kernel, const hd_host_launch *launch) {
    static const hd_host_value unknown = {0};
    const sizes s = d->flags->dims ? sizes_of_flags(d->flags) : sizes_of(kernel, launch);
    const hd_diag mild = {tell_as_warning, d};
    hd_job_flags flags = {.kernel_path = d->flags->kernel_path,
                          .options = d->flags->options,
                          .entry = kernel->name,
                          .count = d->flags->count,
                          .dims = s.dims};
    const char **values = hd_new_array(d->arena, const char *, kernel->param_count);
    for (uint32_t p = 0; p < kernel->param_count; p++)
        if (job_flag_of(d->flags, &kernel->params[p]))
            values[flags.value_count++] = job_flag_of(d->flags, &kernel->params[p]);
    flags.values = values;
    bool fits = true;
    for (uint32_t i = 0; i < s.dims; i++) {
        fits = fits && s.groups[i] <= UINT64_C(1) << 40 && s.local[i] <= UINT64_C(1) << 40;
        flags.local[i] = s.local[i];
        flags.global[i] = fits ? s.groups[i] * s.local[i] : 0;
    }
    for (uint32_t p = 0; p < kernel->param_count && !flags.record; p++)
        if (kernel->params[p].record && !kernel->params[p].by_value_struct)
            flags.record = kernel->params[p].record->name;
    hd_job *guess;
    if (!fits || hd_job_from_flags(d->arena, &mild, &flags, d->module, &guess) != HD_OK) {
        hd_warn(d->diag, &kernel->place, "the job has no launch of '%s'", kernel->name);
        return;
    }
    hd_launch made = guess->launches[0];
    made.arg_count = kir_given_params(kernel); /* images give the others */
    bool has_args = launch && launch->arg_count == made.arg_count;
    for (uint32_t p = 0; p < made.arg_count; p++)
        draft_arg(d, kernel, guess, has_args ? &launch->args[p] : &unknown,
                  launch ? launch->loop : -1, &made.args[p]);
    draft_variables(d, kernel, &made);
    if (launch && launch->shared.kind == HD_HOST_WHOLE && launch->shared.parts[0] >= 0)
        made.shared = (uint64_t)launch->shared.parts[0];
    made.note = size_note(d, kernel, &s, launch);
    made.guess = s.knows_groups && s.knows_local ? NULL : "sizes";
    hd_push(d->arena, &d->origins, launch);
    hd_push(d->arena, &d->launches, made);
}

/* A draft that is run as it is runs each group once: what stands before a launch is written before it. */
static void draft_before(drafter *d, hd_job *job) {
    hd_vec(hd_held) held = {0};
    for (uint32_t e = 0; e < job->entry_count; e++) {
        const hd_draft_entry *entry = &job->entries[e];
        if (entry->launch == KIR_NONE) {
            hd_push(d->arena, &held, entry->held);
            continue;
        }
        job->launches[entry->launch].before = held.data;
        job->launches[entry->launch].before_count = (uint32_t)held.count;
        memset(&held, 0, sizeof held);
    }
}

hd_status hd_job_draft(hd_arena *arena, const hd_diag *diag, const hd_job_flags *flags,
                       const kir_module *module, const hd_host *host, hd_job **result) {
    hd_job *job = hd_new(arena, hd_job);
    drafter d = {
        .arena = arena, .diag = diag, .flags = flags, .module = module, .host = host, .job = job};
    hd_status status = check_values(&d);
    if (status)
        return status;
    bool *is_launched = hd_new_array(arena, bool, module->kernel_count);
    for (uint32_t l = 0; l < host->launch_count; l++)
        for (uint32_t k = 0; k < module->kernel_count; k++)
            if (launches_kernel(&host->launches[l], module->kernels[k])) {
                is_launched[k] = true;
                draft_launch(&d, module->kernels[k], &host->launches[l]);
            }
    for (uint32_t k = 0; k < module->kernel_count; k++)
        if (!is_launched[k])
            draft_launch(&d, module->kernels[k], NULL);
    const hd_place place = {.file = flags->kernel_path};
    if (!d.launches.count)
        return hd_fail(diag, HD_EINPUT, &place, "there is no kernel here that a job could launch");
    *job = (hd_job){.kernel_path = flags->kernel_path,
                    .options = flags->options ? flags->options : "",
                    .record_name = flags->record,
                    .split = flags->split,
                    .split_count = flags->split_count,
                    .buffers = d.buffers.data,
                    .buffer_count = (uint32_t)d.buffers.count,
                    .launches = d.launches.data,
                    .launch_count = (uint32_t)d.launches.count,
                    .record_place = place,
                    .split_place = place,
                    .kernel_place = place,
                    .options_place = place};
    draft_groups(&d, job);
    draft_before(&d, job);
    *result = job;
    return HD_OK;
}
