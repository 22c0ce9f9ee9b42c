/* Declarations of variables of all spaces, and what they are initialised with. */
#include "frontend/ptx/ptx_reader.h"

enum { ALIGN_MOST = 1 << 20, DIMENSIONS_MOST = 8, RANGE_MOST = 1 << 16 };
#define BYTES_MOST (UINT64_C(1) << 40)
#define INIT_MOST ((uint64_t)HD_TEXT_MOST) /* bytes of a variable that has an initialiser */

/* ---- what stands before the names ----------------------------------------------------- */

static void read_align(ptx_reader *r, uint32_t *align) {
    const ptx_token here = r->now;
    *align = (uint32_t)ptx_read_count(r, ALIGN_MOST);
    if (!hd_is_power_of_two(*align))
        ptx_misread(r, &here, "an alignment is a power of two, and %s is none",
                    ptx_spell(r, &here));
}

void ptx_skip_attribute(ptx_reader *r) {
    uint32_t open = 0;
    do {
        open += ptx_is_mark(r, '(');
        open -= ptx_is_mark(r, ')');
        ptx_next(r);
    } while (open && r->now.kind != PTX_TOKEN_END);
    if (open)
        ptx_misread(r, &r->now, "the text ends within an .attribute");
}

/* One word of ".global .align 8 .v2 .f32"; of a pointer parameter what stands behind .ptr is its
 * target's. */
static void read_quality(ptx_reader *r, ptx_variable *v) {
    const ptx_token word = r->now;
    ptx_next(r);
    if (word.name >= PTX_KEY_REG && word.name <= PTX_KEY_SHARED) {
        ptx_space *space = v->is_pointer ? &v->pointee_space : &v->space;
        if (*space != PTX_NO_SPACE)
            ptx_misread(r, &word, "%s is a second state space; one is enough", ptx_spell(r, &word));
        *space = (ptx_space)(PTX_REG + (word.name - PTX_KEY_REG));
        if (ptx_is_mark(r, '['))
            ptx_not_taken(r, &r->now,
                          "banks of constant memory are not supported; PTX has none "
                          "since version 2.2");
    } else if (word.name > PTX_KEY_TYPE && word.name < PTX_KEYWORDS) {
        if (v->type != PTX_NO_TYPE)
            ptx_misread(r, &word, "%s is a second type; one is enough", ptx_spell(r, &word));
        v->type = (ptx_type)(word.name - PTX_KEY_TYPE);
    } else {
        switch (word.name) {
        case PTX_KEY_ALIGN: read_align(r, v->is_pointer ? &v->pointee_align : &v->align); return;
        case PTX_KEY_V2: v->vector = 2; return;
        case PTX_KEY_V4: v->vector = 4; return;
        case PTX_KEY_PTR: v->is_pointer = true; return;
        case PTX_KEY_TEXREF:
        case PTX_KEY_SAMPLERREF:
        case PTX_KEY_SURFREF: v->type = PTX_B64; return;
        case PTX_KEY_ATTRIBUTE: ptx_skip_attribute(r); return;
        default:
            ptx_not_taken(r, &word, "%s is not supported in a declaration", ptx_spell(r, &word));
        }
    }
}

static ptx_variable read_qualities(ptx_reader *r, bool *is_opaque) {
    ptx_variable v = {.vector = 1};
    const ptx_token first = r->now;
    *is_opaque = false;
    while (r->now.kind == PTX_TOKEN_DOT) {
        *is_opaque |= ptx_is_key(r, PTX_KEY_TEXREF) || ptx_is_key(r, PTX_KEY_SAMPLERREF) ||
                      ptx_is_key(r, PTX_KEY_SURFREF);
        read_quality(r, &v);
    }
    if (*is_opaque && v.space == PTX_GLOBAL) /* it holds an object, which the host puts there */
        v.space = PTX_CONST;
    if (v.space == PTX_NO_SPACE)
        ptx_misread(r, &first, "this declaration has no state space, such as .global, before %s",
                    ptx_spell(r, &r->now));
    else if (v.type == PTX_NO_TYPE)
        ptx_misread(r, &r->now, "this declaration has no type, such as .b32, before %s",
                    ptx_spell(r, &r->now));
    return v;
}

/* ---- initialisers --------------------------------------------------------------------- */

typedef struct dimensions {
    uint64_t sizes[DIMENSIONS_MOST + 1]; /* the last one: lanes of a vector */
    uint32_t count;                      /* with the lanes */
    bool has_lanes;
} dimensions;

typedef struct initialiser {
    const dimensions *shape;
    bool is_unsized; /* the first dimension grows */
    ptx_type type;
    hd_vec(uint8_t) bytes;
    hd_vec(struct ptx_relocation) relocations;
} initialiser;

static void put(ptx_reader *r, initialiser *init, const void *data, uint32_t bytes,
                uint64_t offset) {
    while (init->bytes.count < offset)
        hd_push(r->scratch, &init->bytes, 0);
    for (uint32_t b = 0; b < bytes; b++)
        hd_push(r->scratch, &init->bytes, ((const uint8_t *)data)[b]);
}

/* Floats that are not of the element's size are converted; but 0f in 8 bytes are its 4 bytes, as
 * ptxas has it. */
static void put_constant(ptx_reader *r, initialiser *init, const ptx_token *where, ptx_constant c,
                         uint64_t offset) {
    const uint32_t bytes = ptx_type_bits(init->type) / 8;
    const bool is_float = c.type == PTX_F32 || c.type == PTX_F64;
    const bool wants_float = init->type == PTX_F32 || init->type == PTX_F64;
    const bool takes_both = init->type >= PTX_B8 && init->type <= PTX_B64;
    if (is_float != wants_float && !takes_both)
        ptx_misread(r, where, "a .%s is initialised with %s", ptx_type_name(init->type),
                    wants_float ? "a float, such as 1.0" : "an integer");
    else if (is_float && bytes < 4)
        ptx_misread(r, where, "a float does not fit a .%s", ptx_type_name(init->type));
    else if (c.type == PTX_F64 && bytes == 4) {
        float narrow = (float)ptx_constant_value(c);
        put(r, init, &narrow, bytes, offset);
    } else
        put(r, init, &c.bits, bytes, offset);
}

/* Bytes of an address one after the other, as masks write them, are one relocation. */
static bool joins(const struct ptx_relocation *last, const struct ptx_relocation *next) {
    return last->name == next->name && last->addend == next->addend &&
           last->is_generic == next->is_generic && last->offset + last->bytes == next->offset &&
           last->shift + 8 * last->bytes == next->shift;
}

static void add_relocation(ptx_reader *r, initialiser *init, struct ptx_relocation next) {
    const size_t count = init->relocations.count;
    struct ptx_relocation *last = count ? &init->relocations.data[count - 1] : NULL;
    if (last && joins(last, &next))
        last->bytes += next.bytes;
    else
        hd_push(r->scratch, &init->relocations, next);
    put(r, init, &(uint64_t){0}, next.bytes, next.offset);
}

/* name, generic(name), each with "+ 8". */
static void read_symbol(ptx_reader *r, struct ptx_relocation *to) {
    to->is_generic = ptx_is_key(r, PTX_KEY_GENERIC);
    ptx_token name = ptx_expect_name(r, "the name of a variable or function");
    if (to->is_generic && ptx_accept_mark(r, '(')) {
        name = ptx_expect_name(r, "the name of a variable or function");
        ptx_expect_mark(r, ')');
    } else
        to->is_generic = false;
    to->name = ptx_text(r, &name);
    to->addend = ptx_read_addend(r);
}

/* 0xff00(symbol): the byte of the address that the mask says. */
static void read_masked(ptx_reader *r, initialiser *init, const ptx_token *where, uint64_t mask,
                        uint64_t offset) {
    struct ptx_relocation to = {.offset = offset, .bytes = 1};
    while (to.shift < 64 && mask != UINT64_C(0xff) << to.shift)
        to.shift += 8;
    if (to.shift == 64 || ptx_type_bits(init->type) != 8)
        ptx_misread(r, where,
                    "a mask is one whole byte, such as 0xff00, and its variable's type is "
                    ".u8 or .b8");
    ptx_expect_mark(r, '(');
    read_symbol(r, &to);
    ptx_expect_mark(r, ')');
    add_relocation(r, init, to);
}

static void read_element(ptx_reader *r, initialiser *init, uint64_t offset) {
    const ptx_token where = r->now;
    const uint32_t bits = ptx_type_bits(init->type);
    if (where.kind == PTX_TOKEN_WORD && where.name != PTX_KEY_WARP_SZ) {
        struct ptx_relocation to = {.offset = offset, .bytes = bits / 8};
        read_symbol(r, &to);
        if ((bits != 32 && bits != 64) || init->type >= PTX_F16)
            ptx_misread(r, &where, "an address does not fit a .%s; a .u64 takes it",
                        ptx_type_name(init->type));
        add_relocation(r, init, to);
        return;
    }
    const ptx_constant c = ptx_read_constant(r);
    if (ptx_is_mark(r, '('))
        read_masked(r, init, &where, (uint64_t)c.bits, offset);
    else
        put_constant(r, init, &where, c, offset);
}

/* Bytes of an item in the dimensions from `level` on. */
static uint64_t stride_of(const initialiser *init, uint32_t level) {
    uint64_t bytes = ptx_type_bits(init->type) / 8;
    for (uint32_t d = level; d < init->shape->count; d++)
        bytes *= init->shape->sizes[d];
    return bytes;
}

static void read_level(ptx_reader *r, initialiser *init, uint32_t level, uint64_t offset) {
    const dimensions *shape = init->shape;
    if (level == shape->count) {
        read_element(r, init, offset);
        return;
    }
    const uint64_t stride = stride_of(init, level + 1);
    const bool is_vector = shape->has_lanes && level + 1 == shape->count;
    const ptx_token open = r->now;
    uint64_t count = 0;
    ptx_expect_mark(r, '{');
    const bool is_empty = ptx_is_mark(r, '}');
    do {
        if (is_empty)
            break;
        if (!r->status && count == shape->sizes[level] && !(init->is_unsized && !level))
            ptx_misread(r, &r->now, "there are more values here than the %llu that are declared",
                        (unsigned long long)count);
        if (offset + (count + 1) * stride > INIT_MOST)
            ptx_not_taken(r, &r->now, "initialisers above 256 MiB are not supported");
        if (!r->status)
            read_level(r, init, level + 1, offset + count++ * stride);
    } while (ptx_accept_mark(r, ','));
    ptx_expect_mark(r, '}');
    if (is_vector && count != shape->sizes[level])
        ptx_misread(r, &open, "a vector has %llu values here, and its type has %llu",
                    (unsigned long long)count, (unsigned long long)shape->sizes[level]);
}

/* Behind the '='. */
static void read_initialiser(ptx_reader *r, ptx_variable *v, dimensions *shape) {
    const ptx_token first = r->now;
    initialiser init = {.shape = shape, .is_unsized = v->is_unsized, .type = v->type};
    const bool has_init = (v->type >= PTX_B8 && v->type <= PTX_B64) ||
                          (v->type >= PTX_U8 && v->type <= PTX_S64) || v->type == PTX_F32 ||
                          v->type == PTX_F64;
    if ((v->space != PTX_GLOBAL && v->space != PTX_CONST) || !has_init)
        ptx_misread(r, &first,
                    "a variable of this state space and type has no initialiser; only "
                    ".global and .const have one, with types of 8 to 64 bits, .f16 and "
                    "packed ones not among them");
    const uint64_t row = stride_of(&init, v->is_unsized ? 1 : 0);
    if (row > INIT_MOST)
        ptx_not_taken(r, &first, "initialisers above 256 MiB are not supported");
    if (r->status)
        return;
    read_level(r, &init, 0, 0);
    if (v->is_unsized && row) {
        shape->sizes[0] = (init.bytes.count + row - 1) / row;
        v->count = shape->sizes[0] * (row / (ptx_type_bits(v->type) / 8)) / v->vector;
        v->is_unsized = false;
    }
    if (r->status)
        return;
    v->init = hd_alloc(r->arena, (size_t)stride_of(&init, 0));
    if (init.bytes.count)
        memcpy(v->init, init.bytes.data, init.bytes.count);
    PTX_KEEP(r, &init.relocations, v->relocations, v->relocation_count);
}

/* { addr_mode_0 = wrap, ... } of a sampler: nothing that anything here needs. */
static void skip_properties(ptx_reader *r) {
    while (!ptx_is_mark(r, '}') && r->now.kind != PTX_TOKEN_END)
        ptx_next(r);
    ptx_expect_mark(r, '}');
}

/* ---- one variable --------------------------------------------------------------------- */

/* [4][4]; the first one may be []. */
static void read_dimensions(ptx_reader *r, ptx_variable *v, dimensions *shape) {
    const ptx_token first = r->now;
    uint64_t count = 1;
    while (ptx_accept_mark(r, '[')) {
        v->is_array = true;
        if (shape->count == DIMENSIONS_MOST)
            ptx_not_taken(r, &first, "arrays of more than %d dimensions are not supported",
                          DIMENSIONS_MOST);
        uint64_t size = 0;
        if (ptx_is_mark(r, ']') && !shape->count)
            v->is_unsized = true;
        else
            size = (uint64_t)ptx_read_integer(r);
        ptx_expect_mark(r, ']');
        if (r->status)
            return;
        shape->sizes[shape->count++] = size;
        if ((size && count > BYTES_MOST / size) || size > BYTES_MOST)
            ptx_misread(r, &first, "this array is larger than any memory");
        count *= size;
    }
    if (count * v->vector * (ptx_type_bits(v->type) / 8) > BYTES_MOST)
        ptx_misread(r, &first, "this array is larger than any memory");
    v->count = count;
    if (v->vector > 1) {
        shape->has_lanes = true;
        shape->sizes[shape->count++] = v->vector;
    }
}

/* What stands behind a name: <4>, [4], = 4. */
static void read_declarator(ptx_reader *r, ptx_variable *v, bool is_opaque, bool *is_range) {
    dimensions shape = {.count = 0};
    if (ptx_is_mark(r, '<')) {
        const ptx_token here = r->now;
        ptx_next(r);
        v->range = (uint32_t)ptx_read_count(r, UINT32_MAX);
        ptx_expect_mark(r, '>');
        if (v->space != PTX_REG && v->range > RANGE_MOST)
            ptx_not_taken(r, &here,
                          "more than %d variables at once are not supported, but for "
                          "registers; declare an array",
                          RANGE_MOST);
        *is_range = true;
    }
    read_dimensions(r, v, &shape);
    if (!ptx_accept_mark(r, '='))
        return;
    if (is_opaque && ptx_is_mark(r, '{'))
        skip_properties(r);
    else
        read_initialiser(r, v, &shape);
}

static ptx_variable with_name(const ptx_reader *r, const ptx_variable *like,
                              const ptx_token *name) {
    ptx_variable v = *like;
    v.name = ptx_text(r, name);
    v.place = name->place;
    return v;
}

/* x<3> in memory: x0, x1 and x2. */
static void take_each(ptx_reader *r, const ptx_token *name, const ptx_variable *like,
                      ptx_take_variable *take) {
    for (uint32_t i = 0; i < like->range && !r->status; i++) {
        ptx_token one = *name;
        hd_str text = {.arena = r->scratch};
        hd_str_printf(&text, "%s%u", ptx_text(r, name), i);
        one.name = ptx_intern(r, hd_str_text(&text), text.length);
        ptx_variable v = with_name(r, like, &one);
        v.range = 0;
        take(r, &one, &v);
    }
}

void ptx_read_variables(ptx_reader *r, ptx_linkage linkage, ptx_take_variable *take) {
    bool is_opaque;
    const ptx_variable like = read_qualities(r, &is_opaque);
    do {
        const ptx_token name = ptx_expect_name(r, "the name of a variable");
        ptx_variable v = with_name(r, &like, &name);
        bool is_range = false;
        v.linkage = linkage;
        read_declarator(r, &v, is_opaque, &is_range);
        if (v.is_unsized && linkage != PTX_EXTERN && v.space != PTX_PARAM)
            ptx_misread(r, &name, "%s has no size; write it between the brackets",
                        ptx_spell(r, &name));
        if (is_range && v.space != PTX_REG)
            take_each(r, &name, &v, take);
        else if (!r->status && (!is_range || v.range)) /* r<0> is nothing */
            take(r, &name, &v);
    } while (ptx_accept_mark(r, ','));
    ptx_expect_mark(r, ';');
}

void ptx_read_params(ptx_reader *r, ptx_variable **params, uint32_t *count) {
    ptx_variables list = {0};
    ptx_expect_mark(r, '(');
    if (!ptx_is_mark(r, ')'))
        do {
            bool is_opaque;
            const ptx_variable like = read_qualities(r, &is_opaque);
            const ptx_token name = ptx_expect_name(r, "the name of a parameter");
            ptx_variable v = with_name(r, &like, &name);
            read_dimensions(r, &v, &(dimensions){.count = 0});
            if (v.space != PTX_PARAM && v.space != PTX_REG)
                ptx_misread(r, &name, "%s is a parameter; its state space is .param or .reg",
                            ptx_spell(r, &name));
            if (name.name != PTX_KEY_SINK)
                ptx_declare_variable(r, &name, &v, false);
            hd_push(r->scratch, &list, v);
        } while (ptx_accept_mark(r, ','));
    ptx_expect_mark(r, ')');
    PTX_KEEP(r, &list, *params, *count);
}
