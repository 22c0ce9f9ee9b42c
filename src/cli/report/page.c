/*
 * The page is a template with one gap. What goes there passes three stages as
 * it is made, so that none of its forms is ever held whole:
 *
 *     jansson's dump --> deflate, as gzip --> base64 --> file
 *
 * Base64 has no '<', so no name in the data can end the script element early.
 */
#include <stdlib.h>
#include <zlib.h>

#include "cli/report/page.h"

static const signed char template_text[] = {
#ifdef HEDDLE_NO_PAGE
    0
#else
#include <page_template.inc>
#endif
};

/* The gap is behind the tag that ends so; bundle.mjs sees to it that there is one. */
static const char before_gap[] = "id=\"heddle-data\">";

enum { PACKED = 3 << 14, GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8 };

typedef struct packer {
    hd_file *file;
    hd_status status; /* of the file */
    z_stream stream;
    unsigned char packed[PACKED];
    char text[PACKED / 3 * 4];
} packer;

/* Base64 of `count` bytes into `text`; the length of the text. */
static size_t encode(const unsigned char *bytes, size_t count, char *text) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = 0;
    for (size_t i = 0; i < count; i += 3) {
        size_t here = count - i < 3 ? count - i : 3;
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= here > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= here > 2 ? bytes[i + 2] : 0;
        text[length++] = digits[group >> 18];
        text[length++] = digits[group >> 12 & 63];
        text[length++] = here > 1 ? digits[group >> 6 & 63] : '=';
        text[length++] = here > 2 ? digits[group & 63] : '=';
    }
    return length;
}

/* Packs what is there to be packed; with Z_FINISH, to the end. What has been packed goes to the
 * file. Only the last part may be no multiple of 3 bytes. */
static void pack(packer *p, int flush) {
    int result;
    do {
        result = deflate(&p->stream, flush);
        if (p->stream.avail_out && result != Z_STREAM_END)
            continue;
        size_t length = encode(p->packed, PACKED - p->stream.avail_out, p->text);
        if (p->status == HD_OK)
            p->status = hd_file_add(p->file, p->text, length);
        p->stream.next_out = p->packed;
        p->stream.avail_out = PACKED;
    } while (p->stream.avail_in || (flush == Z_FINISH && result != Z_STREAM_END));
}

/* A json_dump_callback_t. */
static int add_json(const char *text, size_t length, void *user) {
    packer *p = user;
    p->stream.next_in = (unsigned char *)text;
    p->stream.avail_in = (unsigned)length;
    pack(p, Z_NO_FLUSH);
    return p->status == HD_OK ? 0 : -1;
}

hd_status hd_page_check(const hd_diag *diag) {
    return sizeof template_text > 1 ? HD_OK
                                    : hd_fail(diag, HD_EUNSUPPORTED, NULL,
                                              "this heddle was built without the report page; "
                                              "build it with -DHEDDLE_PAGE=ON, or take --json, "
                                              "which prints what the page shows");
}

hd_status hd_page_write(const hd_diag *diag, const char *path, const json_t *data) {
    if (hd_page_check(diag) != HD_OK)
        return HD_EUNSUPPORTED;
    const size_t length = sizeof template_text;
    const signed char *found = memmem(template_text, length, before_gap, sizeof before_gap - 1);
    size_t gap = (size_t)(found - template_text) + sizeof before_gap - 1;
    hd_arena *arena = hd_arena_new();
    packer *p = hd_new(arena, packer);
    hd_status status = hd_file_begin(arena, diag, path, &p->file);
    if (status == HD_OK) {
        status = hd_file_add(p->file, template_text, gap);
        p->status = status;
        p->stream.next_out = p->packed;
        p->stream.avail_out = PACKED;
        if (deflateInit2(&p->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
                         Z_DEFAULT_STRATEGY) != Z_OK)
            hd_no_memory(0); /* the settings are constants */
        int failed = json_dump_callback(data, add_json, p, JSON_COMPACT | JSON_REAL_PRECISION(12));
        if (failed && p->status == HD_OK)
            hd_no_memory(0); /* every value we make can be written */
        if (!failed)
            pack(p, Z_FINISH);
        deflateEnd(&p->stream);
        status = p->status;
        if (status == HD_OK)
            status = hd_file_add(p->file, template_text + gap, length - gap);
        if (status == HD_OK)
            status = hd_file_keep(p->file);
        else
            hd_file_drop(p->file);
    }
    hd_arena_free(arena);
    return status;
}
