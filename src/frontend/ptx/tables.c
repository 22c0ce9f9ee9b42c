/* Types of PTX in kir, words of an instruction, and places. */
#include "frontend/ptx/internal.h"

/* ---- types ------------------------------------------------------------------ */

bool ptx_is_signed(ptx_type type) { return type >= PTX_S8 && type <= PTX_S64; }

bool ptx_is_float(ptx_type type) { return type >= PTX_F16 && type <= PTX_F64; }

kir_type ptx_kir_type(ptx_type type) {
    switch (type) {
    case PTX_F16: return ptx_real(16);
    case PTX_F32: return ptx_real(32);
    case PTX_F64: return ptx_real(64);
    case PTX_PRED: return ptx_int(1);
    case PTX_B128: return front_int_type(64, 2);
    default: return ptx_int((uint8_t)ptx_type_bits(type));
    }
}

/* ---- words ------------------------------------------------------------------- */

bool ptx_has(const ptx_inst *inst, const char *word) {
    for (uint32_t w = 0; w < inst->word_count; w++)
        if (!strcmp(inst->words[w], word))
            return true;
    return false;
}

ptx_type ptx_type_of(const ptx_inst *inst, uint32_t n) {
    for (uint32_t w = inst->word_count; w-- > 1;) {
        ptx_type type;
        if (ptx_type_parse(inst->words[w], &type) && n-- == 0)
            return type;
    }
    return PTX_NO_TYPE;
}

const char *ptx_opcode(hd_arena *arena, const ptx_inst *inst) {
    hd_str text = {.arena = arena};
    for (uint32_t w = 0; w < inst->word_count; w++)
        hd_str_printf(&text, "%s%s", w ? "." : "", inst->words[w]);
    return hd_str_text(&text);
}

/* ---- places ------------------------------------------------------------------ */

/* Files of the toolkit and the system: code out of them stands where the user called it. */
static bool is_header_of_system(const char *path) {
    static const char *const parts[] = {"/usr/include/", "/usr/lib/", "-linux/include/",
                                        "cuda/include/"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(path, parts[i]))
            return true;
    return false;
}

static const char *text_of(ptx_shared *s, const char *path) {
    char *text;
    size_t length;
    const hd_diag silent = {0};
    return hd_read_file(s->arena, &silent, path, &text, &length) == HD_OK && strlen(text) == length
               ? text
               : NULL;
}

uint32_t ptx_file(ptx_shared *s, uint32_t file) {
    if (file >= s->ptx->file_count)
        file = 0;
    if (s->file_of[file] == KIR_NONE) {
        const char *name = file ? s->ptx->files[file] : s->ptx->path;
        s->file_of[file] = (uint32_t)s->files.count;
        s->is_header[file] = name && file && is_header_of_system(name);
        kir_file known = {name ? name : "", name && !s->is_header[file] ? text_of(s, name) : NULL};
        hd_push(s->arena, &s->files, known);
    }
    return s->file_of[file];
}

const ptx_source *ptx_user_source(ptx_shared *s, const ptx_source *source) {
    for (; source; source = source->inlined_at) {
        if (!source->line || source->file >= s->ptx->file_count)
            continue;
        ptx_file(s, source->file);
        if (!s->is_header[source->file])
            return source;
    }
    return NULL;
}

/* Where there is no source, that of the PTX text counts. Code of a header stands at its call, and so
 * does a function without lines that one with lines calls: a part of the toolkit's. */
void ptx_set_place(ptx_lowering *l) {
    if (l->is_inline)
        return;
    const ptx_source *user = ptx_user_source(l->shared, l->inst->source);
    front_builder *out = &l->out;
    if (user) {
        out->file = ptx_file(l->shared, user->file);
        out->place = (hd_place){.line = user->line, .column = user->column};
    } else if (!l->inst->source && !(l->at->caller && l->at->is_from_source)) {
        out->file = ptx_file(l->shared, 0);
        out->place = (hd_place){.line = l->inst->place.line, .column = l->inst->place.column};
    } else if (l->at->caller) {
        out->file = l->at->file;
        out->place = l->at->place;
    }
}

static void fail(ptx_lowering *l, hd_status status, const char *format, va_list args) {
    ptx_shared *s = l->shared;
    if (l->out.status)
        return;
    hd_place place = {
        .file = s->ptx->path, .line = l->inst->place.line, .column = l->inst->place.column};
    uint32_t file = ptx_file(s, 0); /* which may move the files */
    const char *text = s->files.data[file].text;
    if (place.line && text)
        place.text = hd_line_of(s->arena, text, place.line);
    l->out.status = hd_fail(s->diag, status, &place, "%s", hd_vformat(s->arena, format, args));
}

void ptx_cannot(ptx_lowering *l, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail(l, HD_EUNSUPPORTED, format, args);
    va_end(args);
}

void ptx_wrong(ptx_lowering *l, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail(l, HD_EINPUT, format, args);
    va_end(args);
}
