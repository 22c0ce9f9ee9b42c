/* Commands as a program asks for them: copies, fills, maps, launches and markers. */
#include <stdlib.h>
#include <string.h>

#include "opencl/platform.h"

/* ---- copies ------------------------------------------------------------------------------------------ */

/* Bytes from a place to behind the last of a box there; false: more than can be counted. */
static bool end_of(const platform_place *p, const size_t region[3], size_t offset, size_t *end) {
    size_t rows, slices;
    return !__builtin_mul_overflow(region[1] - 1, p->row, &rows) &&
           !__builtin_mul_overflow(region[2] - 1, p->slice, &slices) &&
           !__builtin_add_overflow(rows, slices, end) &&
           !__builtin_add_overflow(*end, region[0], end) &&
           !__builtin_add_overflow(*end, offset, end);
}

void platform_copy_box(machine *m, const platform_place *to, const platform_place *from,
                       const size_t region[3]) {
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++) {
            char *row = to->at + z * to->slice + y * to->row;
            memmove(row, from->at + z * from->slice + y * from->row, region[0]);
            hd_ptx_wrote(m->ptx, row, region[0]);
        }
}

static cl_int copy_box(machine *m, platform_command *c) {
    platform_copy_box(m, &c->to, &c->from, c->region);
    return CL_SUCCESS;
}

/* A side of a copy: memory of the platform, or of the host. */
typedef struct side {
    bool is_host;
    cl_mem memory;
    char *host;
    size_t offset, row, slice;
    const size_t *origin; /* of a box of a buffer or of the host's; NULL: it begins at `offset` */
    bool is_image;
} side;

/* Pitches of 0 are those of the region, and an origin is where the box begins. */
static cl_int find_place(const side *s, const size_t region[3], platform_place *place) {
    size_t offset = s->offset, end;
    place->row = s->row ? s->row : region[0];
    place->slice = s->slice ? s->slice : region[1] * place->row;
    if (place->row < region[0] || place->slice < region[1] * place->row ||
        (s->origin && s->slice && s->slice % place->row))
        return CL_INVALID_VALUE;
    if (s->origin)
        offset = s->origin[2] * place->slice + s->origin[1] * place->row + s->origin[0];
    place->at = (s->memory ? s->memory->memory : s->host) + offset;
    if (!end_of(place, region, offset, &end) || (s->memory && end > s->memory->bytes))
        return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static cl_int check_memory(cl_command_queue queue, cl_mem memory) {
    return !platform_is(memory, PLATFORM_MEMORY) ? CL_INVALID_MEM_OBJECT
           : memory->context != queue->context   ? CL_INVALID_CONTEXT
                                                 : CL_SUCCESS;
}

/* The box of an image's texels, in bytes. */
static cl_int find_texels(cl_mem image, const size_t *origin, const size_t *region, side *s,
                          size_t bytes[3]) {
    size_t box[3];
    if (!platform_is_image(image))
        return CL_INVALID_MEM_OBJECT;
    if (!origin || !region)
        return CL_INVALID_VALUE;
    kir_image_box(&image->image, box);
    for (int d = 0; d < 3; d++)
        if (origin[d] > box[d] || region[d] > box[d] - origin[d])
            return CL_INVALID_VALUE;
    const size_t texel = kir_image_texel_bytes(image->image.format);
    *s = (side){.memory = image,
                .row = image->row,
                .slice = image->slice,
                .offset = origin[2] * image->slice + origin[1] * image->row + origin[0] * texel,
                .is_image = true};
    bytes[0] = region[0] * texel;
    bytes[1] = region[1];
    bytes[2] = region[2];
    return CL_SUCCESS;
}

/* Where a host keeps texels: the rows of a 1-D array are its images. */
static side host_texels(cl_mem image, size_t row, size_t slice, const void *host) {
    const bool are_rows = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    return (side){.is_host = true,
                  .host = (char *)(uintptr_t)host,
                  .row = are_rows && slice ? slice : row,
                  .slice = are_rows ? 0 : slice};
}

static cl_int check_side(cl_command_queue queue, const side *s) {
    if (s->is_host)
        return s->host ? CL_SUCCESS : CL_INVALID_VALUE;
    const cl_int error = check_memory(queue, s->memory);
    return !error && platform_is_image(s->memory) != s->is_image ? CL_INVALID_MEM_OBJECT : error;
}

/* Host flags of a buffer that the host reads or writes. */
static bool is_kept_from_host(cl_mem memory, bool reads) {
    return memory->flags &
           (CL_MEM_HOST_NO_ACCESS | (reads ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY));
}

static bool is_near(ptrdiff_t distance, size_t length) {
    return distance < (ptrdiff_t)length && -distance < (ptrdiff_t)length;
}

/* Two boxes share a byte. Of the same pitches: slices, rows and bytes, fewer than the box has, lead from one
 * to the other. */
static bool overlap(const side *from, const side *to, const platform_command *c) {
    const ptrdiff_t row = (ptrdiff_t)c->to.row, slice = (ptrdiff_t)c->to.slice;
    size_t from_end, to_end;
    if (!from->memory || !to->memory || !end_of(&c->from, c->region, 0, &from_end) ||
        !end_of(&c->to, c->region, 0, &to_end) || c->from.at >= c->to.at + to_end ||
        c->to.at >= c->from.at + from_end)
        return false;
    if (c->from.row != c->to.row || c->from.slice != c->to.slice)
        return true;
    const bool is_behind = c->from.at > c->to.at;
    const ptrdiff_t distance = is_behind ? c->from.at - c->to.at : c->to.at - c->from.at;
    for (ptrdiff_t z = distance / slice; z <= distance / slice + 1; z++) {
        const ptrdiff_t rest = distance - z * slice, first = rest / row - (rest < 0);
        for (ptrdiff_t y = first; y <= first + 1; y++)
            if (is_near(z, c->region[2]) && is_near(y, c->region[1]) &&
                is_near(rest - y * row, c->region[0]))
                return true;
    }
    return false;
}

/* Fills in where the box stands on both sides. */
static cl_int find_box(cl_command_queue queue, const side *from, const side *to,
                       const size_t *region, platform_command *c) {
    cl_int error;
    if ((error = check_side(queue, from)) || (error = check_side(queue, to)))
        return error;
    if (!region || !region[0] || !region[1] || !region[2])
        return CL_INVALID_VALUE;
    if ((!to->memory && is_kept_from_host(from->memory, true)) ||
        (!from->memory && is_kept_from_host(to->memory, false)))
        return CL_INVALID_OPERATION;
    memcpy(c->region, region, sizeof c->region); /* bytes of a row, rows, slices */
    if ((error = find_place(from, region, &c->from)) || (error = find_place(to, region, &c->to)))
        return error;
    return overlap(from, to, c) ? CL_MEM_COPY_OVERLAP : CL_SUCCESS;
}

static cl_int copy(cl_command_queue queue, cl_command_type type, const side *from, const side *to,
                   const size_t *region, bool blocking, cl_uint count, const cl_event *wait,
                   cl_event *event) {
    machine *m = machine_enter();
    platform_command *c = NULL;
    cl_int error = platform_command_new(queue, type, count, wait, &c);
    if (!error)
        error = find_box(queue, from, to, region, c);
    if (error) {
        platform_command_free(m, c);
        return platform_left(m, error);
    }
    c->held[0] = platform_hold(from->memory);
    c->held[1] = platform_hold(to->memory);
    c->run = copy_box;
    return platform_left(m, platform_submit(m, c, blocking, event));
}

static CL_API_ENTRY cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem memory,
                                                   cl_bool blocking, size_t offset, size_t bytes,
                                                   void *to, cl_uint count, const cl_event *wait,
                                                   cl_event *event) {
    const size_t region[3] = {bytes, 1, 1};
    return copy(queue, CL_COMMAND_READ_BUFFER, &(side){.memory = memory, .offset = offset},
                &(side){.is_host = true, .host = to}, region, blocking, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem memory,
                                                    cl_bool blocking, size_t offset, size_t bytes,
                                                    const void *from, cl_uint count,
                                                    const cl_event *wait, cl_event *event) {
    const size_t region[3] = {bytes, 1, 1};
    return copy(queue, CL_COMMAND_WRITE_BUFFER,
                &(side){.is_host = true, .host = (char *)(uintptr_t)from},
                &(side){.memory = memory, .offset = offset}, region, blocking, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                                   size_t from_offset, size_t to_offset,
                                                   size_t bytes, cl_uint count,
                                                   const cl_event *wait, cl_event *event) {
    const size_t region[3] = {bytes, 1, 1};
    return copy(queue, CL_COMMAND_COPY_BUFFER, &(side){.memory = from, .offset = from_offset},
                &(side){.memory = to, .offset = to_offset}, region, false, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL read_rect(cl_command_queue queue, cl_mem memory,
                                                 cl_bool blocking, const size_t *buffer_origin,
                                                 const size_t *host_origin, const size_t *region,
                                                 size_t buffer_row, size_t buffer_slice,
                                                 size_t host_row, size_t host_slice, void *to,
                                                 cl_uint count, const cl_event *wait,
                                                 cl_event *event) {
    return copy(queue, CL_COMMAND_READ_BUFFER_RECT,
                &(side){false, memory, NULL, 0, buffer_row, buffer_slice, buffer_origin},
                &(side){true, NULL, to, 0, host_row, host_slice, host_origin}, region, blocking,
                count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL write_rect(cl_command_queue queue, cl_mem memory,
                                                  cl_bool blocking, const size_t *buffer_origin,
                                                  const size_t *host_origin, const size_t *region,
                                                  size_t buffer_row, size_t buffer_slice,
                                                  size_t host_row, size_t host_slice,
                                                  const void *from, cl_uint count,
                                                  const cl_event *wait, cl_event *event) {
    return copy(queue, CL_COMMAND_WRITE_BUFFER_RECT,
                &(side){true, NULL, (char *)(uintptr_t)from, 0, host_row, host_slice, host_origin},
                &(side){false, memory, NULL, 0, buffer_row, buffer_slice, buffer_origin}, region,
                blocking, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL copy_rect(cl_command_queue queue, cl_mem from, cl_mem to,
                                                 const size_t *from_origin, const size_t *to_origin,
                                                 const size_t *region, size_t from_row,
                                                 size_t from_slice, size_t to_row, size_t to_slice,
                                                 cl_uint count, const cl_event *wait,
                                                 cl_event *event) {
    return copy(queue, CL_COMMAND_COPY_BUFFER_RECT,
                &(side){false, from, NULL, 0, from_row, from_slice, from_origin},
                &(side){false, to, NULL, 0, to_row, to_slice, to_origin}, region, false, count,
                wait, event);
}

/* ---- copies of texels -------------------------------------------------------------------------------- */

static cl_int copy_host_texels(cl_command_queue queue, cl_command_type type, cl_mem image,
                               bool blocking, const size_t *origin, const size_t *region,
                               size_t row, size_t slice, const void *host, cl_uint count,
                               const cl_event *wait, cl_event *event) {
    const bool reads = type == CL_COMMAND_READ_IMAGE;
    size_t bytes[3];
    side texels;
    const cl_int error = find_texels(image, origin, region, &texels, bytes);
    if (error)
        return error;
    const side outside = host_texels(image, row, slice, host);
    return copy(queue, type, reads ? &texels : &outside, reads ? &outside : &texels, bytes,
                blocking, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL read_image(cl_command_queue queue, cl_mem image,
                                                  cl_bool blocking, const size_t *origin,
                                                  const size_t *region, size_t row, size_t slice,
                                                  void *to, cl_uint count, const cl_event *wait,
                                                  cl_event *event) {
    return copy_host_texels(queue, CL_COMMAND_READ_IMAGE, image, blocking, origin, region, row,
                            slice, to, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL write_image(cl_command_queue queue, cl_mem image,
                                                   cl_bool blocking, const size_t *origin,
                                                   const size_t *region, size_t row, size_t slice,
                                                   const void *from, cl_uint count,
                                                   const cl_event *wait, cl_event *event) {
    return copy_host_texels(queue, CL_COMMAND_WRITE_IMAGE, image, blocking, origin, region, row,
                            slice, from, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL copy_images(cl_command_queue queue, cl_mem from, cl_mem to,
                                                   const size_t *from_origin,
                                                   const size_t *to_origin, const size_t *region,
                                                   cl_uint count, const cl_event *wait,
                                                   cl_event *event) {
    size_t bytes[3];
    side texels, others;
    cl_int error;
    if ((error = find_texels(from, from_origin, region, &texels, bytes)) ||
        (error = find_texels(to, to_origin, region, &others, bytes)))
        return error;
    if (from->image.format.order != to->image.format.order ||
        from->image.format.type != to->image.format.type)
        return CL_IMAGE_FORMAT_MISMATCH;
    return copy(queue, CL_COMMAND_COPY_IMAGE, &texels, &others, bytes, false, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL copy_from_image(cl_command_queue queue, cl_mem image,
                                                       cl_mem to, const size_t *origin,
                                                       const size_t *region, size_t offset,
                                                       cl_uint count, const cl_event *wait,
                                                       cl_event *event) {
    size_t bytes[3];
    side texels;
    const cl_int error = find_texels(image, origin, region, &texels, bytes);
    return error ? error
                 : copy(queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, &texels,
                        &(side){.memory = to, .offset = offset}, bytes, false, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL copy_to_image(cl_command_queue queue, cl_mem from,
                                                     cl_mem image, size_t offset,
                                                     const size_t *origin, const size_t *region,
                                                     cl_uint count, const cl_event *wait,
                                                     cl_event *event) {
    size_t bytes[3];
    side texels;
    const cl_int error = find_texels(image, origin, region, &texels, bytes);
    return error ? error
                 : copy(queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE,
                        &(side){.memory = from, .offset = offset}, &texels, bytes, false, count,
                        wait, event);
}

/* ---- fills ------------------------------------------------------------------------------------------- */

/* A command on a box. */
static cl_int begin(cl_command_queue queue, cl_command_type type, const side *s,
                    const size_t region[3], cl_uint count, const cl_event *wait,
                    platform_command **command) {
    cl_int error = platform_command_new(queue, type, count, wait, command);
    if (!error && !(error = check_side(queue, s)) && (!region[0] || !region[1] || !region[2]))
        error = CL_INVALID_VALUE;
    if (error || (error = find_place(s, region, &(*command)->to)))
        return error;
    (*command)->held[0] = platform_hold(s->memory);
    memcpy((*command)->region, region, sizeof(*command)->region);
    return CL_SUCCESS;
}

static cl_int fill_box(machine *m, platform_command *c) {
    for (size_t z = 0; z < c->region[2]; z++)
        for (size_t y = 0; y < c->region[1]; y++) {
            char *row = c->to.at + z * c->to.slice + y * c->to.row;
            for (size_t i = 0; i < c->region[0]; i += c->pattern_bytes)
                memcpy(row + i, c->pattern, c->pattern_bytes);
            hd_ptx_wrote(m->ptx, row, c->region[0]);
        }
    return CL_SUCCESS;
}

static cl_int fill(cl_command_queue queue, cl_command_type type, const side *s,
                   const size_t region[3], const void *pattern, size_t pattern_bytes, cl_uint count,
                   const cl_event *wait, cl_event *event) {
    machine *m = machine_enter();
    platform_command *c = NULL;
    cl_int error = begin(queue, type, s, region, count, wait, &c);
    if (!error && (!pattern || !pattern_bytes || pattern_bytes > sizeof c->pattern ||
                   s->offset % pattern_bytes || region[0] % pattern_bytes))
        error = CL_INVALID_VALUE;
    if (error) {
        platform_command_free(m, c);
        return platform_left(m, error);
    }
    memcpy(c->pattern, pattern, pattern_bytes);
    c->pattern_bytes = pattern_bytes;
    c->run = fill_box;
    return platform_left(m, platform_submit(m, c, false, event));
}

static CL_API_ENTRY cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem memory,
                                                   const void *pattern, size_t pattern_bytes,
                                                   size_t offset, size_t bytes, cl_uint count,
                                                   const cl_event *wait, cl_event *event) {
    const size_t region[3] = {bytes, 1, 1};
    if (pattern_bytes & (pattern_bytes - 1))
        return CL_INVALID_VALUE;
    return fill(queue, CL_COMMAND_FILL_BUFFER, &(side){.memory = memory, .offset = offset}, region,
                pattern, pattern_bytes, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL fill_image(cl_command_queue queue, cl_mem image,
                                                  const void *color, const size_t *origin,
                                                  const size_t *region, cl_uint count,
                                                  const cl_event *wait, cl_event *event) {
    uint32_t parts[4] = {0};
    uint8_t texel[16];
    size_t bytes[3];
    side texels;
    const cl_int error = find_texels(image, origin, region, &texels, bytes);
    if (error || !color)
        return error ? error : CL_INVALID_VALUE;
    memcpy(parts, color, image->image.format.order == CL_DEPTH ? sizeof *parts : sizeof parts);
    kir_image_pack(image->image.format, parts, texel);
    return fill(queue, CL_COMMAND_FILL_IMAGE, &texels, bytes, texel,
                kir_image_texel_bytes(image->image.format), count, wait, event);
}

/* ---- maps -------------------------------------------------------------------------------------------- */

/* What the host's memory does not see by itself: all of an image, to its memory or back. */
static void copy_apart(machine *m, cl_mem image, bool to_host) {
    size_t region[3];
    const platform_place own = {image->memory, image->row, image->slice},
                         host = {image->host, image->host_row, image->host_slice};
    kir_image_box(&image->image, region);
    region[0] *= kir_image_texel_bytes(image->image.format);
    platform_copy_box(m, to_host ? &host : &own, to_host ? &own : &host, region);
}

static cl_int begin_map(machine *m, platform_command *c) {
    if (c->held[0]->host_row)
        copy_apart(m, c->held[0], true);
    return CL_SUCCESS;
}

/* The host writes there, and nobody sees it. */
static cl_int begin_map_to_write(machine *m, platform_command *c) {
    for (size_t z = 0; z < c->region[2]; z++)
        for (size_t y = 0; y < c->region[1]; y++)
            hd_ptx_wrote(m->ptx, c->to.at + z * c->to.slice + y * c->to.row, c->region[0]);
    c->held[0]->mapped_to_write++;
    return begin_map(m, c);
}

static void *map(cl_command_queue queue, cl_command_type type, const side *s,
                 const size_t region[3], cl_bool blocking, cl_map_flags flags, cl_uint count,
                 const cl_event *wait, cl_event *event, cl_int *error) {
    const cl_map_flags writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    machine *m = machine_enter();
    platform_command *c = NULL;
    void *at = NULL;
    cl_int wrong = begin(queue, type, s, region, count, wait, &c);
    if (!wrong && flags & ~(writes | CL_MAP_READ))
        wrong = CL_INVALID_VALUE;
    else if (!wrong && ((flags & CL_MAP_READ && is_kept_from_host(s->memory, true)) ||
                        (flags & writes && is_kept_from_host(s->memory, false))))
        wrong = CL_INVALID_OPERATION;
    if (wrong) {
        platform_command_free(m, c);
    } else {
        at = c->to.at;
        c->run = flags & writes ? begin_map_to_write : begin_map;
        s->memory->mapped++;
        wrong = platform_submit(m, c, blocking, event);
    }
    platform_fail(wrong, error);
    platform_leave(m);
    return wrong ? NULL : at;
}

static CL_API_ENTRY void *CL_API_CALL map_buffer(cl_command_queue queue, cl_mem memory,
                                                 cl_bool blocking, cl_map_flags flags,
                                                 size_t offset, size_t bytes, cl_uint count,
                                                 const cl_event *wait, cl_event *event,
                                                 cl_int *error) {
    const size_t region[3] = {bytes, 1, 1};
    return map(queue, CL_COMMAND_MAP_BUFFER, &(side){.memory = memory, .offset = offset}, region,
               blocking, flags, count, wait, event, error);
}

static CL_API_ENTRY void *CL_API_CALL map_image(cl_command_queue queue, cl_mem image,
                                                cl_bool blocking, cl_map_flags flags,
                                                const size_t *origin, const size_t *region,
                                                size_t *row, size_t *slice, cl_uint count,
                                                const cl_event *wait, cl_event *event,
                                                cl_int *error) {
    size_t bytes[3];
    side texels;
    const cl_int wrong = find_texels(image, origin, region, &texels, bytes);
    if (wrong || !row || (!slice && platform_has_sheets(image)))
        return platform_fail(wrong ? wrong : CL_INVALID_VALUE, error);
    char *at = map(queue, CL_COMMAND_MAP_IMAGE, &texels, bytes, blocking, flags, count, wait, event,
                   error);
    if (!at)
        return NULL;
    const bool is_apart = image->host_row != 0;
    *row = is_apart ? image->host_row : image->row;
    if (slice)
        *slice = platform_sheet_pitch(image, *row, is_apart ? image->host_slice : image->slice);
    if (!is_apart)
        return at;
    return (char *)image->host + origin[2] * image->host_slice + origin[1] * image->host_row +
           origin[0] * kir_image_texel_bytes(image->image.format);
}

static cl_int end_map(machine *m, platform_command *c) {
    cl_mem memory = c->held[0];
    if (memory->host_row && memory->mapped_to_write)
        copy_apart(m, memory, false);
    memory->mapped_to_write = memory->mapped ? memory->mapped_to_write : 0;
    return CL_SUCCESS;
}

static bool is_within(const void *at, const char *memory, size_t bytes) {
    return memory && (const char *)at >= memory && (const char *)at < memory + bytes;
}

static CL_API_ENTRY cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem memory, void *at,
                                             cl_uint count, const cl_event *wait, cl_event *event) {
    machine *m = machine_enter();
    platform_command *c = NULL;
    cl_int error = platform_command_new(queue, CL_COMMAND_UNMAP_MEM_OBJECT, count, wait, &c);
    if (!error && !(error = check_memory(queue, memory)) &&
        (!memory->mapped || !(is_within(at, memory->memory, memory->bytes) ||
                              is_within(at, memory->host, platform_host_bytes(memory)))))
        error = CL_INVALID_VALUE;
    if (error) {
        platform_command_free(m, c);
        return platform_left(m, error);
    }
    memory->mapped--;
    c->held[0] = platform_hold(memory);
    c->run = end_map;
    return platform_left(m, platform_submit(m, c, false, event));
}

/* ---- commands on several buffers --------------------------------------------------------------------- */

static CL_API_ENTRY cl_int CL_API_CALL migrate(cl_command_queue queue, cl_uint memory_count,
                                               const cl_mem *memories, cl_mem_migration_flags flags,
                                               cl_uint count, const cl_event *wait,
                                               cl_event *event) {
    const cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    machine *m = machine_enter();
    platform_command *c = NULL;
    cl_int error = platform_command_new(queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, count, wait, &c);
    if (!error && (!memory_count || !memories || flags & ~known))
        error = CL_INVALID_VALUE;
    for (cl_uint i = 0; i < memory_count && !error; i++)
        error = check_memory(queue, memories[i]);
    if (error) {
        platform_command_free(m, c);
        return platform_left(m, error);
    }
    return platform_left(m, platform_submit(m, c, false, event));
}

/* ---- markers and barriers ------------------------------------------------------------------------------ */

/* Without events to wait for it waits for all before it. */
static cl_int mark(cl_command_queue queue, cl_command_type type, bool is_barrier, cl_uint count,
                   const cl_event *wait, cl_event *event) {
    machine *m = machine_enter();
    platform_command *c = NULL;
    const cl_int error = platform_command_new(queue, type, count, wait, &c);
    if (error)
        return platform_left(m, error);
    c->is_barrier = is_barrier || !count;
    return platform_left(m, platform_submit(m, c, false, event));
}

static CL_API_ENTRY cl_int CL_API_CALL mark_with(cl_command_queue queue, cl_uint count,
                                                 const cl_event *wait, cl_event *event) {
    return mark(queue, CL_COMMAND_MARKER, false, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL barrier_with(cl_command_queue queue, cl_uint count,
                                                    const cl_event *wait, cl_event *event) {
    return mark(queue, CL_COMMAND_BARRIER, true, count, wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL mark_1_1(cl_command_queue queue, cl_event *event) {
    return event ? mark(queue, CL_COMMAND_MARKER, false, 0, NULL, event) : CL_INVALID_VALUE;
}

static CL_API_ENTRY cl_int CL_API_CALL barrier_1_1(cl_command_queue queue) {
    return mark(queue, CL_COMMAND_BARRIER, true, 0, NULL, NULL);
}

static CL_API_ENTRY cl_int CL_API_CALL wait_1_1(cl_command_queue queue, cl_uint count,
                                                const cl_event *wait) {
    return count ? mark(queue, CL_COMMAND_BARRIER, true, count, wait, NULL) : CL_INVALID_VALUE;
}

/* ---- launches ------------------------------------------------------------------------------------------ */

static cl_int run_launch(machine *m, platform_command *c) {
    hd_ptx_counts counts = {0};
    return machine_launch(m, c->kernel, &c->size, c->args, &counts) ? CL_OUT_OF_RESOURCES
                                                                    : CL_SUCCESS;
}

static cl_int check_sizes(cl_kernel kernel, cl_uint dims, const size_t *global,
                          const size_t *local) {
    const hd_ptx_kernel_facts f = hd_ptx_facts(kernel->found);
    size_t threads = 1;
    if (dims < 1 || dims > 3)
        return CL_INVALID_WORK_DIMENSION;
    for (cl_uint d = 0; d < dims; d++) {
        if (!global || !global[d])
            return CL_INVALID_GLOBAL_WORK_SIZE;
        if (local && (!local[d] || global[d] % local[d]))
            return CL_INVALID_WORK_GROUP_SIZE;
        if (local && local[d] > PLATFORM_MOST_THREADS)
            return CL_INVALID_WORK_ITEM_SIZE;
        if (local && f.required_threads[0] && local[d] != f.required_threads[d])
            return CL_INVALID_WORK_GROUP_SIZE;
        if (!local && f.required_threads[0] && global[d] % f.required_threads[d])
            return CL_INVALID_WORK_GROUP_SIZE;
        threads *= local ? local[d] : 1;
    }
    return threads > PLATFORM_MOST_THREADS ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}

/* Arguments as they are now, in memory of the command's. */
static cl_int take_args(platform_command *c, cl_kernel kernel) {
    const uint32_t count = kernel->ir->param_count, given = kernel->arg_count;
    c->args = hd_zeroed(count + 1, sizeof *c->args);
    c->arg_memories = hd_zeroed(count + 1, sizeof *c->arg_memories);
    c->arg_count = count;
    for (uint32_t i = 0; i < given; i++) {
        const platform_arg *a = &kernel->args[i];
        const uint64_t number = a->memory ? (uint64_t)(uintptr_t)a->memory->memory
                                : kernel->ir->params[i].type.space == KIR_LOCAL ? a->bytes
                                                                                : 0;
        if (!a->is_set)
            return CL_INVALID_KERNEL_ARGS;
        if (a->memory && !platform_is(a->memory, PLATFORM_MEMORY))
            return CL_INVALID_MEM_OBJECT;
        c->args[i] = hd_zeroed(1, (a->value ? a->bytes : 0) + sizeof number);
        if (a->value)
            memcpy(c->args[i], a->value, a->bytes);
        else
            memcpy(c->args[i], &number, sizeof number);
        c->arg_memories[i] = platform_hold(a->memory);
    }
    for (uint32_t i = given; i < count; i++) {
        uint32_t image;
        const char *what = kir_asked_of_image(kernel->ir, i, &image);
        const uint32_t number = kir_image_number(&c->arg_memories[image]->image, what);
        c->args[i] = memcpy(hd_zeroed(1, sizeof number), &number, sizeof number);
    }
    return CL_SUCCESS;
}

static cl_int launch_as(cl_command_type type, cl_command_queue queue, cl_kernel kernel,
                        cl_uint dims, const size_t *offset, const size_t *global,
                        const size_t *local, cl_uint count, const cl_event *wait, cl_event *event) {
    machine *m = machine_enter();
    platform_command *c = NULL;
    cl_int error = platform_command_new(queue, type, count, wait, &c);
    if (!error)
        error = !platform_is(kernel, PLATFORM_KERNEL)        ? CL_INVALID_KERNEL
                : kernel->program->context != queue->context ? CL_INVALID_CONTEXT
                                                             : CL_SUCCESS;
    if (!error)
        error = check_sizes(kernel, dims, global, local);
    if (!error && machine_size(kernel->found, dims, offset, global, local, &c->size))
        error = CL_INVALID_WORK_GROUP_SIZE;
    if (!error)
        error = take_args(c, kernel);
    if (error) {
        platform_command_free(m, c);
        return platform_left(m, error);
    }
    c->kernel = kernel->found;
    c->run = run_launch;
    return platform_left(m, platform_submit(m, c, false, event));
}

static CL_API_ENTRY cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel,
                                              cl_uint dims, const size_t *offset,
                                              const size_t *global, const size_t *local,
                                              cl_uint count, const cl_event *wait,
                                              cl_event *event) {
    return launch_as(CL_COMMAND_NDRANGE_KERNEL, queue, kernel, dims, offset, global, local, count,
                     wait, event);
}

static CL_API_ENTRY cl_int CL_API_CALL launch_task(cl_command_queue queue, cl_kernel kernel,
                                                   cl_uint count, const cl_event *wait,
                                                   cl_event *event) {
    const size_t one = 1;
    return launch_as(CL_COMMAND_TASK, queue, kernel, 1, NULL, &one, &one, count, wait, event);
}

void platform_enqueues(cl_icd_dispatch *table) {
    table->clEnqueueReadBuffer = read_buffer;
    table->clEnqueueWriteBuffer = write_buffer;
    table->clEnqueueCopyBuffer = copy_buffer;
    table->clEnqueueReadBufferRect = read_rect;
    table->clEnqueueWriteBufferRect = write_rect;
    table->clEnqueueCopyBufferRect = copy_rect;
    table->clEnqueueReadImage = read_image;
    table->clEnqueueWriteImage = write_image;
    table->clEnqueueCopyImage = copy_images;
    table->clEnqueueCopyImageToBuffer = copy_from_image;
    table->clEnqueueCopyBufferToImage = copy_to_image;
    table->clEnqueueFillImage = fill_image;
    table->clEnqueueMapImage = map_image;
    table->clEnqueueFillBuffer = fill_buffer;
    table->clEnqueueMapBuffer = map_buffer;
    table->clEnqueueUnmapMemObject = unmap;
    table->clEnqueueMigrateMemObjects = migrate;
    table->clEnqueueMarkerWithWaitList = mark_with;
    table->clEnqueueBarrierWithWaitList = barrier_with;
    table->clEnqueueMarker = mark_1_1;
    table->clEnqueueBarrier = barrier_1_1;
    table->clEnqueueWaitForEvents = wait_1_1;
    table->clEnqueueNDRangeKernel = launch;
    table->clEnqueueTask = launch_task;
}
