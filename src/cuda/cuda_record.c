#include "cuda/cuda_record.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/elf.h"
#include "cuda/cuda_memory.h"

enum { LEVEL = 1 }; /* of zstd: what is faster packs half as well */

/* Contents are what their hash is. */
typedef struct hash {
    uint64_t low, high;
} hash;

/* Memory of the program as a buffer of a job. */
typedef struct buffer {
    uintptr_t address;
    size_t bytes;
    hash first; /* what it held when the job first saw it */
    bool is_zero;
    bool is_listed; /* in the job's file */
    hash known;     /* what the job's launches so far have left there */
    /* of the launch that is being recorded */
    bool seen;
    hash before, after;
} buffer;

/* The launches of one module. */
typedef struct job {
    const cuda_ptx_text *text;
    hd_vec(buffer) buffers;
    hd_hash_table by_address;
    const char *path; /* of its file; NULL: it has no launch yet */
} job;

/* Why launches are not in a job. */
typedef enum reason { BY_CHOICE, BY_LIMIT, BY_FAULT, BY_ADDRESS, BY_FILE, REASONS } reason;
static const char *const reason_texts[REASONS] = {
    [BY_CHOICE] = "not asked for",
    [BY_LIMIT] = "contents beyond --limit",
    [BY_FAULT] = "a fault of the kernel",
    [BY_ADDRESS] = "memory of another size where the job has a buffer",
    [BY_FILE] = "contents that could not be written"};

struct cuda_record {
    const char *folder, *results;
    pid_t pid;
    hd_arena *arena;
    const char *kernel; /* NULL: all */
    uint64_t first, last, every, limit;
    uint64_t launches, bytes; /* bytes: of the files of contents, so far */
    uint64_t left_out[REASONS];
    hd_vec(job *) jobs;
    hd_hash_table written; /* contents, by hash */
    ZSTD_CCtx *packer;
    /* the launch that is being recorded; NULL: none is */
    job *job;
    const cuda_launch *launch;
    hd_vec(uint32_t) seen; /* buffers of the job that are there */
    hd_str args;
};

/* ---- what is asked for ---------------------------------------------------------------------- */

static uint64_t number_option(const char *text, const char *key, uint64_t otherwise) {
    const char *at = text ? strstr(text, key) : NULL;
    return at ? strtoull(at + strlen(key), NULL, 10) : otherwise;
}

cuda_record *cuda_record_new(cuda_process *p) {
    const char *folder = getenv("HEDDLE_RECORD"), *options = getenv("HEDDLE_RECORD_OPTIONS");
    if (!folder || !*folder)
        return NULL;
    cuda_record *r = hd_new(p->arena, cuda_record);
    const char *results = getenv("HEDDLE_RECORD_RESULTS"),
               *kernel = options ? strstr(options, "kernel=") : NULL;
    r->folder = hd_strdup(p->arena, folder);
    r->results = results && *results ? hd_strdup(p->arena, results) : NULL;
    r->pid = getpid();
    r->arena = p->arena;
    r->kernel = kernel ? hd_strdup(p->arena, kernel + strlen("kernel=")) : NULL;
    r->first = number_option(options, "first=", 0);
    r->last = number_option(options, "last=", UINT64_MAX);
    r->every = number_option(options, "every=", 1);
    r->limit = number_option(options, "limit=", UINT64_MAX);
    r->every += !r->every;
    r->written = (hd_hash_table){.arena = p->arena, .key_bytes = sizeof(hash)};
    r->packer = ZSTD_createCCtx();
    if (!r->packer)
        hd_no_memory(sizeof *r);
    ZSTD_CCtx_setParameter(r->packer, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(r->packer, ZSTD_c_checksumFlag, 1);
    return r;
}

/* Launches count from 0, those of the chosen kernel alone where one is chosen. */
static bool is_chosen(cuda_record *r, const cuda_launch *launch) {
    if (r->kernel) {
        const char *title = hd_ptx_kernel_title(launch->kernel->found);
        size_t length = strcspn(title, "<(");
        bool same = !strcmp(title, r->kernel) || !strcmp(launch->kernel->name, r->kernel) ||
                    (strlen(r->kernel) == length && !strncmp(title, r->kernel, length));
        if (!same)
            return false;
    }
    uint64_t number = r->launches++;
    return number >= r->first && number <= r->last && (number - r->first) % r->every == 0;
}

/* ---- contents --------------------------------------------------------------------------------- */

static bool same(hash a, hash b) { return a.low == b.low && a.high == b.high; }

static hash hash_of(uintptr_t address, size_t bytes) {
    XXH128_hash_t h = XXH3_128bits((const void *)address, bytes); /* NOLINT: the program's memory */
    return (hash){h.low64, h.high64};
}

static const char *file_of(hd_arena *arena, hash h) {
    return hd_format(arena, "contents/%016llx%016llx.zst", (unsigned long long)h.high,
                     (unsigned long long)h.low);
}

/* Packs bytes into a file, of `room` bytes at most. */
static bool pack(cuda_record *r, int fd, ZSTD_inBuffer from, uint64_t room, uint64_t *written,
                 reason *why) {
    char part[1 << 16];
    size_t left = 1;
    *written = 0;
    ZSTD_CCtx_reset(r->packer, ZSTD_reset_session_only);
    while (left) {
        ZSTD_outBuffer out = {part, sizeof part, 0};
        left = ZSTD_compressStream2(r->packer, &out, &from, ZSTD_e_end);
        *written += out.pos;
        *why = *written > room ? BY_LIMIT : BY_FILE;
        if (*written > room || ZSTD_isError(left) || !hd_write_all(fd, part, out.pos))
            return false;
    }
    return true;
}

/* A file that is there has all of its bytes, also where two processes write the same. */
static bool write_contents(cuda_record *r, const char *path, const buffer *b, reason *why) {
    const char *part = hd_format(r->arena, "%s.%ld", path, (long)r->pid);
    const ZSTD_inBuffer from = {(const void *)b->address, b->bytes, 0}; /* NOLINT: the program's */
    uint64_t written;
    int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    *why = BY_FILE;
    bool fine = fd >= 0 && pack(r, fd, from, r->limit - r->bytes, &written, why);
    fine = fd >= 0 && !close(fd) && fine && !rename(part, path);
    if (fine) {
        r->bytes += written;
    } else {
        int error = errno;
        unlink(part);
        errno = error;
    }
    return fine;
}

/* What is to be written, if it is not there yet. */
static bool keep(cuda_record *r, cuda_process *p, const buffer *b, hash h, reason *why) {
    if (hd_hash_get_key(&r->written, &h) != HD_NO_VALUE)
        return true;
    const char *path = hd_format(r->arena, "%s/%s", r->folder, file_of(r->arena, h));
    if (!write_contents(r, path, b, why)) {
        if (*why == BY_FILE && !r->left_out[BY_FILE])
            cuda_say(p, "error: cannot write %s: %s", path, strerror(errno));
        return false;
    }
    hash *key = hd_new(r->arena, hash);
    *key = h;
    hd_hash_add_key(&r->written, key, 1);
    return true;
}

static bool holds_zeros(const buffer *b) {
    const char *at = (const char *)b->address; /* NOLINT: the program's memory */
    return !*at && !memcmp(at, at + 1, b->bytes - 1);
}

/* ---- buffers ------------------------------------------------------------------------------------ */

static job *job_of(cuda_record *r, const cuda_ptx_text *text) {
    for (size_t i = 0; i < r->jobs.count; i++)
        if (r->jobs.data[i]->text == text)
            return r->jobs.data[i];
    job *j = hd_new(r->arena, job);
    j->text = text;
    j->by_address.arena = r->arena;
    hd_push(r->arena, &r->jobs, j);
    return j;
}

/* Some byte of these is another buffer's. */
static bool overlaps_other(const job *j, uintptr_t address, size_t bytes) {
    for (size_t i = 0; i < j->buffers.count; i++) {
        const buffer *b = &j->buffers.data[i];
        if (b->address < address + bytes && address < b->address + b->bytes)
            return true;
    }
    return false;
}

/* Notes what memory holds before the launch. */
static bool see(cuda_record *r, uintptr_t address, size_t bytes) {
    job *j = r->job;
    uint64_t at = hd_hash_get(&j->by_address, address);
    if (at == HD_NO_VALUE) {
        if (overlaps_other(j, address, bytes))
            return false;
        at = j->buffers.count;
        buffer b = {.address = address, .bytes = bytes, .first = hash_of(address, bytes)};
        b.known = b.first;
        b.is_zero = holds_zeros(&b);
        hd_push(r->arena, &j->buffers, b);
        hd_hash_set(&j->by_address, address, at);
    }
    buffer *b = &j->buffers.data[at];
    if (b->bytes != bytes)
        return false;
    if (b->seen)
        return true;
    b->seen = true;
    b->before = hash_of(address, bytes);
    hd_push(r->arena, &r->seen, (uint32_t)at);
    return true;
}

/* All memory that kernels can reach. */
static bool see_all(cuda_record *r, const cuda_process *p, const cuda_launch *launch) {
    bool fine = true;
    for (size_t i = 0; i < p->memory->live.count && fine; i++) {
        const cuda_allocation *a = &p->memory->live.data[i];
        fine = !a->bytes || see(r, a->address, a->bytes);
    }
    const char *title;
    void *address;
    size_t bytes;
    for (uint32_t v = 0;
         fine && hd_ptx_kernel_variable(launch->kernel->found, v, &title, &address, &bytes); v++)
        fine = !bytes || see(r, (uintptr_t)address, bytes);
    return fine;
}

/* ---- a launch ----------------------------------------------------------------------------------- */

static void leave_out(cuda_record *r, reason why) {
    for (size_t i = 0; i < r->seen.count; i++)
        r->job->buffers.data[r->seen.data[i]].seen = false;
    r->left_out[why]++;
    r->job = NULL;
}

static void add_quoted(hd_str *text, const char *name) {
    hd_str_add(text, "\"");
    for (; *name; name++)
        hd_str_printf(text, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
    hd_str_add(text, "\"");
}

/* The buffer that has this byte. */
static const buffer *buffer_at(const job *j, uintptr_t address) {
    for (size_t i = 0; i < j->buffers.count; i++)
        if (j->buffers.data[i].seen &&
            address - j->buffers.data[i].address < j->buffers.data[i].bytes)
            return &j->buffers.data[i];
    return NULL;
}

static uint32_t number_of(const job *j, const buffer *b) {
    return (uint32_t)(b - j->buffers.data) + 1;
}

static void add_arg(cuda_record *r, const cuda_launch *l, uint32_t index) {
    uint32_t offset, bytes;
    bool is_pointer;
    uint64_t value = 0;
    hd_ptx_param(l->kernel->found, index, &offset, &bytes);
    const char *title = hd_ptx_param_title(l->kernel->found, index, &is_pointer);
    hd_str_add(&r->args, "      - {name: ");
    add_quoted(&r->args, title);
    if (is_pointer)
        memcpy(&value, l->args[index], sizeof value);
    const buffer *to = is_pointer ? buffer_at(r->job, (uintptr_t)value) : NULL;
    if (to) {
        hd_str_printf(&r->args, ", buffer: m%u", number_of(r->job, to));
        if (value != to->address)
            hd_str_printf(&r->args, ", offset: %llu", (unsigned long long)(value - to->address));
    } else {
        hd_str_add(&r->args, ", bytes: \"");
        for (uint32_t i = 0; i < bytes; i++)
            hd_str_printf(&r->args, "%02x", ((const unsigned char *)l->args[index])[i]);
        hd_str_add(&r->args, "\"");
    }
    hd_str_add(&r->args, "}\n");
}

static void add_variable_arg(cuda_record *r, const char *title, const void *address) {
    const buffer *b = buffer_at(r->job, (uintptr_t)address);
    hd_str_add(&r->args, "      - {name: ");
    add_quoted(&r->args, title);
    hd_str_printf(&r->args, ", buffer: m%u}\n", number_of(r->job, b));
}

static void add_args(cuda_record *r, const cuda_launch *l) {
    const char *title;
    void *address;
    size_t bytes;
    r->args = (hd_str){.arena = r->arena};
    for (uint32_t i = 0; i < l->kernel->facts.param_count; i++)
        add_arg(r, l, i);
    for (uint32_t v = 0; hd_ptx_kernel_variable(l->kernel->found, v, &title, &address, &bytes); v++)
        if (bytes)
            add_variable_arg(r, title, address);
}

void cuda_record_launch(cuda_record *r, cuda_process *p, const cuda_launch *launch) {
    if (!r)
        return;
    if (!is_chosen(r, launch)) {
        r->left_out[BY_CHOICE]++;
        return;
    }
    reason why = BY_ADDRESS;
    r->job = job_of(r, cuda_kernel_text(launch->kernel));
    r->launch = launch;
    r->seen.count = 0;
    bool fine = see_all(r, p, launch);
    for (size_t i = 0; i < r->seen.count && fine; i++) {
        const buffer *b = &r->job->buffers.data[r->seen.data[i]];
        bool is_start = same(b->first, b->before) && !b->is_zero;
        if (is_start || !same(b->known, b->before))
            fine = keep(r, p, b, b->before, &why);
    }
    if (fine)
        add_args(r, launch);
    else
        leave_out(r, why);
}

/* "[2, 3]", as many as are used. */
static void add_sizes(hd_str *text, const char *key, const uint32_t *sizes) {
    uint32_t dims = sizes[2] > 1 ? 3 : sizes[1] > 1 ? 2 : 1;
    hd_str_printf(text, "    %s: [%u", key, sizes[0]);
    for (uint32_t d = 1; d < dims; d++)
        hd_str_printf(text, ", %u", sizes[d]);
    hd_str_add(text, "]\n");
}

static void add_held(const cuda_record *r, const char *key, bool is_after, hd_str *text) {
    bool any = false;
    for (size_t i = 0; i < r->seen.count; i++) {
        const buffer *b = &r->job->buffers.data[r->seen.data[i]];
        hash from = is_after ? b->before : b->known, to = is_after ? b->after : b->before;
        if (same(from, to))
            continue;
        if (!any)
            hd_str_printf(text, "    %s:\n", key);
        any = true;
        hd_str_printf(text, "      - {buffer: m%u, file: %s}\n", r->seen.data[i] + 1,
                      file_of(r->arena, to));
    }
    if (!any && is_after)
        hd_str_printf(text, "    %s: []\n", key);
}

/* The entry of the launch in the job's list of launches. */
static void add_launch(const cuda_record *r, hd_str *text) {
    const hd_ptx_launch_size *size = &r->launch->size;
    hd_str_add(text, "  - kernel: ");
    add_quoted(text, hd_ptx_kernel_title(r->launch->kernel->found));
    hd_str_add(text, "\n");
    add_sizes(text, "blocks", size->grid);
    add_sizes(text, "threads", size->block);
    hd_str_printf(text, "    shared: %llu\n", (unsigned long long)size->shared);
    hd_str_add(text, size->cooperative ? "    cooperative: true\n" : "");
    add_held(r, "before", false, text);
    if (r->args.length)
        hd_str_printf(text, "    args:\n%s", hd_str_text(&r->args));
    add_held(r, "after", true, text);
}

/* The entries of those buffers that no launch of the job has had yet. */
static void add_buffers(const cuda_record *r, hd_str *text) {
    for (size_t i = 0; i < r->seen.count; i++) {
        const buffer *b = &r->job->buffers.data[r->seen.data[i]];
        if (b->is_listed)
            continue;
        hd_str_printf(text, "  - {name: m%u, type: uchar, count: %zu, at: 0x%llx",
                      r->seen.data[i] + 1, b->bytes, (unsigned long long)b->address);
        if (same(b->first, b->before) && !b->is_zero)
            hd_str_printf(text, ", file: %s", file_of(r->arena, b->first));
        hd_str_add(text, "}\n");
    }
}

/* ---- the files ---------------------------------------------------------------------------------- */

/* Names that nobody has yet, also where several processes record: "job.yaml" with "kernels.ptx",
 * "job-2.yaml" with "kernels-2.ptx". */
static bool begin_job(const cuda_record *r, job *j) {
    int fd = -1;
    hd_str number = {.arena = r->arena};
    for (unsigned n = 1; fd < 0; n++) {
        number.length = 0;
        if (n > 1)
            hd_str_printf(&number, "-%u", n);
        const char *ptx = hd_format(r->arena, "%s/kernels%s.ptx", r->folder, hd_str_text(&number));
        fd = open(ptx, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            return false;
    }
    j->path = hd_format(r->arena, "%s/job%s.yaml", r->folder, hd_str_text(&number));
    bool fine = hd_write_all(fd, j->text->text, strlen(j->text->text));
    return !close(fd) && fine;
}

/* All of the text gets into the file, or nothing. */
static bool append(const char *path, const hd_str *text) {
    if (!text->length)
        return true;
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    off_t end = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    bool fine = end >= 0 && hd_write_all(fd, text->data, text->length);
    int error = errno;
    if (end >= 0 && !fine && ftruncate(fd, end))
        error = errno;
    fine = fd >= 0 && !close(fd) && fine;
    errno = fine ? errno : error;
    return fine;
}

/* Each launch is in the files when it has run, whatever the process does next; heddle record makes
 * one of the two when it has ended. */
static bool write_launch(const cuda_record *r, cuda_process *p) {
    job *j = r->job;
    hd_arena *scratch = hd_arena_new();
    hd_str buffers = {.arena = scratch}, launch = {.arena = scratch};
    add_buffers(r, &buffers);
    add_launch(r, &launch);
    bool fine = (j->path || begin_job(r, j)) &&
                append(hd_format(scratch, "%s.buffers", j->path), &buffers) &&
                append(hd_format(scratch, "%s.launches", j->path), &launch);
    if (!fine && !r->left_out[BY_FILE])
        cuda_say(p, "error: cannot write %s: %s", j->path ? j->path : r->folder, strerror(errno));
    hd_arena_free(scratch);
    return fine;
}

/* What only the process knows, for heddle record. */
static void write_results(const cuda_record *r, cuda_process *p) {
    json_t *list = json_array();
    for (int i = 0; i < REASONS; i++)
        if (r->left_out[i])
            json_array_append_new(list, json_pack("{s:s, s:I}", "why", reason_texts[i], "launches",
                                                  (json_int_t)r->left_out[i]));
    if (r->results)
        cuda_write_results(p, json_pack("{s:o}", "left_out", list), r->results);
    else
        json_decref(list);
}

/* ---- what the process tells ------------------------------------------------------------------- */

void cuda_record_launched(cuda_record *r, cuda_process *p, hd_status status) {
    if (!r || !r->job)
        return;
    reason why = BY_FAULT;
    bool fine = !status;
    for (size_t i = 0; i < r->seen.count && fine; i++) {
        buffer *b = &r->job->buffers.data[r->seen.data[i]];
        b->after = hash_of(b->address, b->bytes);
        fine = same(b->after, b->before) || keep(r, p, b, b->after, &why);
    }
    if (fine) {
        why = BY_FILE;
        fine = write_launch(r, p);
    }
    if (!fine) {
        leave_out(r, why);
        if (status) /* the program may abort() */
            write_results(r, p);
        return;
    }
    for (size_t i = 0; i < r->seen.count; i++) {
        buffer *b = &r->job->buffers.data[r->seen.data[i]];
        b->known = b->after;
        b->is_listed = true;
        b->seen = false;
    }
    r->job = NULL;
}

void cuda_record_end(cuda_record *r, cuda_process *p) {
    if (r && getpid() == r->pid)
        write_results(r, p);
}
