/* Files with the bytes of a buffer: as they are, or, where the name ends in .zst, packed by zstd. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include "job/job.h"

/* A file that is read into `size` bytes. */
typedef struct held_file {
    const hd_diag *diag;
    const hd_buffer *buffer;
    const char *path;
    const hd_place *place;
    FILE *file;
    uint8_t *bytes;
    uint64_t size;
} held_file;

bool hd_job_is_packed(const char *path) { return hd_ends_in(path, ".zst"); }

static hd_status wrong_size(const held_file *f) {
    return hd_fail(f->diag, HD_EINPUT, f->place, "%s does not hold the %llu bytes of buffer '%s'",
                   f->path, (unsigned long long)f->size, f->buffer->name);
}

static hd_status damaged(const held_file *f, const char *how) {
    return hd_fail(f->diag, HD_EINPUT, f->place,
                   "%s of buffer '%s' is damaged: %s; its bytes, packed by zstd, were expected",
                   f->path, f->buffer->name, how);
}

/* What is in `chunk`. *left: 0 where a frame has ended with it. */
static hd_status unpack(const held_file *f, ZSTD_DCtx *context, ZSTD_inBuffer chunk,
                        ZSTD_outBuffer *out, size_t *left) {
    while (chunk.pos < chunk.size) {
        uint8_t beyond;
        ZSTD_outBuffer spare = {&beyond, 1, 0};
        *left = ZSTD_decompressStream(context, out->pos < out->size ? out : &spare, &chunk);
        if (ZSTD_isError(*left))
            return damaged(f, ZSTD_getErrorName(*left));
        if (spare.pos)
            return wrong_size(f);
    }
    return HD_OK;
}

static hd_status read_packed(const held_file *f) {
    size_t room = ZSTD_DStreamInSize(), left = 1, got;
    uint8_t *chunk = hd_zeroed(room, 1);
    ZSTD_DCtx *context = ZSTD_createDCtx();
    ZSTD_outBuffer out = {f->bytes, f->size, 0};
    hd_status status = HD_OK;
    if (!context)
        hd_no_memory(room);
    while (!status && (got = fread(chunk, 1, room, f->file)) > 0)
        status = unpack(f, context, (ZSTD_inBuffer){chunk, got, 0}, &out, &left);
    ZSTD_freeDCtx(context);
    free(chunk);
    if (!status && (left || ferror(f->file)))
        status = damaged(f, "it ends too early");
    return !status && out.pos < out.size ? wrong_size(f) : status;
}

hd_status hd_job_read_held(const hd_diag *diag, const hd_buffer *buffer, const char *path,
                           const hd_place *place, void *bytes) {
    held_file f = {.diag = diag,
                   .buffer = buffer,
                   .path = path,
                   .place = place,
                   .file = fopen(path, "rb"),
                   .bytes = bytes,
                   .size = buffer->count * buffer->element_bytes};
    if (!f.file)
        return hd_fail(diag, HD_EINPUT, place, "cannot open %s of buffer '%s': %s", path,
                       buffer->name, strerror(errno));
    hd_status status = HD_OK;
    if (hd_job_is_packed(path))
        status = read_packed(&f);
    else if (fread(f.bytes, 1, f.size, f.file) != f.size || fgetc(f.file) != EOF || ferror(f.file))
        status = wrong_size(&f);
    fclose(f.file);
    return status;
}
