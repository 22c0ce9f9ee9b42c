/*
 * CUTracer's traces of memory (mem_addr_trace, mem_value_trace; once mem_trace) as NDJSON:
 *
 *     {"type":"kernel_metadata","unmangled_name":"f(float*)","grid":[4,1,1],"block":[64,1,1],
 *      "instructions":{"12":{"sass":"LDG.E R2, [R2.64] ;"}}, ...}
 *     {"type":"mem_addr_trace","grid_launch_id":0,"cta":[3,0,0],"warp":7,"opcode_id":12,
 *      "pc":"0xc0","sass":"LDG.E R2, [R2.64] ;","addrs":[139...,...], ...}
 *
 * on a line each, with members in any order. Warps are numbered through all blocks. Newer versions
 * have "sass" in the first line alone, by opcode_id, and older ones have no such line.
 */
#include "foreign.h"

typedef struct cutracer {
    foreign_launch sizes; /* what the first line says; a file has one launch */
    hd_hash_table sass;   /* by opcode_id: places in `texts` */
    hd_vec(hd_span) texts;
} cutracer;

static cutracer *own_of(foreign *f) {
    if (!f->own) {
        f->own = hd_new(f->arena, cutracer);
        ((cutracer *)f->own)->sass.arena = f->arena;
    }
    return f->own;
}

static bool is_cutracer(hd_span start) {
    return foreign_starts(start, "{") &&
           (foreign_has(start, "\"grid_launch_id\"") || foreign_has(start, "\"kernel_metadata\""));
}
static bool is_text(hd_span start) {
    return foreign_starts(start, "CTX 0x") && foreign_has(start, "Memory Addresses:");
}

static hd_span read_sass(foreign *f) {
    hd_span sass = {f->in.at, 0};
    hd_span name = foreign_json_begin(f);
    for (; name.length; name = foreign_json_next(f))
        if (hd_span_is(name, "sass"))
            sass = foreign_json_text(f, "an instruction");
        else
            foreign_json_skip(f);
    return sass;
}

/* {"12": {"sass": ...}, ...} */
static void read_instructions(foreign *f, cutracer *own) {
    hd_span name = foreign_json_begin(f);
    for (; name.length; name = foreign_json_next(f)) {
        uint64_t id = foreign_number(f, name, 10, UINT32_MAX, "an opcode_id");
        hd_span sass = read_sass(f);
        hd_hash_set(&own->sass, id, own->texts.count);
        hd_push(f->arena, &own->texts, sass);
    }
}

static void read_size(foreign *f, uint64_t size[3], const char *what) {
    const char *at = f->in.at;
    if (foreign_json_numbers(f, size, 3, what) != 3 && !f->in.status)
        hd_scan_fail(&f->in, at, "%s must have three numbers", what);
}

/* All that a line says. */
typedef struct line_members {
    hd_span type, sass, name;
    uint64_t opcode, width;
    bool has_opcode, has_addresses;
} line_members;

/* The value behind this name, if it is one of an access. */
static bool read_member(foreign *f, hd_span name, line_members *m) {
    warp_access *a = &f->access;
    if (hd_span_is(name, "grid_launch_id"))
        a->launch = foreign_json_number(f, UINT32_MAX, "a launch's number");
    else if (hd_span_is(name, "cta"))
        read_size(f, a->block, "a block");
    else if (hd_span_is(name, "warp"))
        a->warp = foreign_json_number(f, UINT32_MAX, "a warp's number");
    else if (hd_span_is(name, "opcode_id")) {
        m->opcode = foreign_json_number(f, UINT32_MAX, "an opcode_id");
        m->has_opcode = true;
    } else if (hd_span_is(name, "pc"))
        a->key = foreign_address(f, foreign_json_text(f, "an instruction's address"),
                                 "an instruction's address");
    else if (hd_span_is(name, "sass"))
        m->sass = foreign_json_text(f, "an instruction");
    else if (hd_span_is(name, "access_size"))
        m->width = foreign_json_number(f, ACCESS_WIDTH_MAX, "bytes of an access");
    else if (hd_span_is(name, "addrs")) {
        const char *at = f->in.at;
        m->has_addresses = true;
        if (foreign_json_numbers(f, a->address, 32, "addresses") != 32 && !f->in.status)
            hd_scan_fail(&f->in, at, "a warp has 32 addresses");
    } else
        return false;
    return true;
}

static void read_members(foreign *f, line_members *m) {
    cutracer *own = own_of(f);
    hd_span name = foreign_json_begin(f);
    for (; name.length; name = foreign_json_next(f)) {
        if (hd_span_is(name, "type"))
            m->type = foreign_json_text(f, "a type");
        else if (hd_span_is(name, "unmangled_name"))
            m->name = foreign_json_text(f, "a kernel's name");
        else if (hd_span_is(name, "grid"))
            read_size(f, own->sizes.groups, "a grid's size");
        else if (hd_span_is(name, "block"))
            read_size(f, own->sizes.local, "a block's size");
        else if (hd_span_is(name, "instructions"))
            read_instructions(f, own);
        else if (!read_member(f, name, m))
            foreign_json_skip(f);
    }
    foreign_json_end(f);
}

static bool read_access(foreign *f) {
    cutracer *own = own_of(f);
    warp_access *a = &f->access;
    const char *at = f->in.at;
    line_members m = {.sass = {at, 0}};
    read_members(f, &m);
    if (f->in.status)
        return false;
    if (!m.type.length)
        hd_scan_fail(&f->in, at, "the object has no \"type\", as all lines of CUTracer have");
    if (m.name.length)
        own->sizes.kernel = hd_span_text(f->arena, m.name);
    if (!m.has_addresses || f->in.status)
        return false;
    uint64_t row = m.has_opcode ? hd_hash_get(&own->sass, m.opcode) : HD_NO_VALUE;
    if (!m.sass.length && row != HD_NO_VALUE)
        m.sass = own->texts.data[row];
    if (!m.sass.length) {
        hd_scan_fail(&f->in, at,
                     "nothing says which instruction this is: neither its \"sass\" nor the "
                     "\"instructions\" of a kernel_metadata line");
        return false;
    }
    a->mask = 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        a->mask |= (uint64_t)(a->address[lane] != 0) << lane;
    hd_span opcode = foreign_opcode(m.sass);
    if (!foreign_sass(a, opcode))
        return false;
    foreign_sass_copies(a, opcode);
    a->width = m.width ? (uint32_t)m.width : a->width;
    return true;
}

static void read_line(foreign *f) {
    if (hd_scan_ends(&f->in) || !read_access(f))
        return;
    const foreign_launch *sizes = &own_of(f)->sizes;
    foreign_launch *launch = foreign_launch_of(f, f->access.launch);
    launch->kernel = sizes->kernel;
    memcpy(launch->groups, sizes->groups, sizeof launch->groups);
    memcpy(launch->local, sizes->local, sizeof launch->local);
    foreign_add(f, f->line);
}

const foreign_format foreign_cutracer = {
    .tool = "CUTracer",
    .is_one = is_cutracer,
    .lacks = "masks (a lane whose address is 0 counts as not active)",
    .lanes = 32,
    .has_slots = true,
    .read_line = read_line,
    .read_access = read_access};
const foreign_format foreign_cutracer_text = {
    .tool = "CUTracer",
    .is_one = is_text,
    .refused = "its text is for people: trace with CUTRACER_TRACE_FORMAT=ndjson"};
