#include "recording/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/table.h"

enum { LEVEL = -1 }; /* of zstd: level 1 packs better, and takes twice as long */

/* Contents are what their hash is. */
typedef struct hash {
    uint64_t low, high;
} hash;

/* Memory of the program as a buffer of a job. */
typedef struct buffer {
    uint64_t address;
    size_t bytes;
    const char *form; /* of hd_recording_see() */
    hash first;       /* what it held when the job first saw it */
    bool is_zero;
    bool is_listed;   /* in the job's file */
    hash known;       /* what the job's launches so far have left there */
    hash read;        /* what was read last, */
    uint64_t version; /* and the version of memory that this was; 0: nobody knows */
    /* of the launch that is being recorded */
    bool seen;
    hash before, after;
} buffer;

/* The launches of one module. */
typedef struct job {
    const void *module;
    const char *text, *options;
    hd_vec(buffer) buffers;
    hd_hash_table by_address;
    const char *path; /* of its file; NULL: it has no launch yet */
} job;

static const char by_choice[] = "not asked for", by_limit[] = "contents beyond --limit",
                  by_fault[] = "a fault of the kernel",
                  by_address[] = "memory of another size where the job has a buffer",
                  by_file[] = "contents that could not be written";

/* Launches that are not in a job. */
typedef struct left_out {
    const char *why;
    uint64_t launches;
} left_out;

struct hd_recording {
    const hd_recording_host *host;
    const char *folder, *results;
    pid_t pid;
    hd_arena *arena;
    const char *kernel; /* NULL: all */
    uint64_t first, last, every, limit;
    uint64_t launches, bytes; /* bytes: of the files of contents, so far */
    hd_vec(left_out) left_out;
    hd_vec(job *) jobs;
    hd_hash_table written; /* contents, by hash */
    ZSTD_CCtx *packer;
    /* the launch that is being recorded; NULL: none is */
    job *job;
    bool fine;
    const char *failed;    /* what could not be written */
    hd_vec(uint32_t) seen; /* buffers of the job that are there */
    hd_str args;
};

/* ---- what is asked for ---------------------------------------------------------------------- */

static uint64_t number_option(const char *text, const char *key, uint64_t otherwise) {
    const char *at = text ? strstr(text, key) : NULL;
    return at ? strtoull(at + strlen(key), NULL, 10) : otherwise;
}

hd_recording *hd_recording_open(hd_arena *arena, const hd_recording_host *host) {
    const char *folder = getenv("HEDDLE_RECORD"), *options = getenv("HEDDLE_RECORD_OPTIONS");
    if (!folder || !*folder)
        return NULL;
    hd_recording *r = hd_new(arena, hd_recording);
    const char *results = getenv("HEDDLE_RECORD_RESULTS"),
               *kernel = options ? strstr(options, "kernel=") : NULL;
    r->host = host;
    r->folder = hd_strdup(arena, folder);
    r->results = results && *results ? hd_strdup(arena, results) : NULL;
    r->pid = getpid();
    r->arena = arena;
    r->kernel = kernel ? hd_strdup(arena, kernel + strlen("kernel=")) : NULL;
    r->first = number_option(options, "first=", 0);
    r->last = number_option(options, "last=", UINT64_MAX);
    r->every = number_option(options, "every=", 1);
    r->limit = number_option(options, "limit=", UINT64_MAX);
    r->every += !r->every;
    r->written = (hd_hash_table){.arena = arena, .key_bytes = sizeof(hash)};
    r->packer = ZSTD_createCCtx();
    if (!r->packer)
        hd_no_memory(sizeof *r);
    ZSTD_CCtx_setParameter(r->packer, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(r->packer, ZSTD_c_checksumFlag, 1);
    return r;
}

static void say_error(const hd_recording *r, const char *path) {
    r->host->say(r->host->user,
                 hd_format(r->arena, "error: cannot write %s: %s", path, strerror(errno)));
}

/* Whether it is the first that is left out for that. */
static bool count_left_out(hd_recording *r, const char *why) {
    size_t i = 0;
    while (i < r->left_out.count && strcmp(r->left_out.data[i].why, why) != 0)
        i++;
    if (i == r->left_out.count)
        hd_push(r->arena, &r->left_out, (left_out){why, 0});
    return !r->left_out.data[i].launches++;
}

/* Launches count from 0, those of the chosen kernel alone where one is chosen. */
bool hd_recording_asks(hd_recording *r, const char *title, const char *name) {
    bool asked = true;
    if (r->kernel) {
        size_t length = strcspn(title, "<(");
        asked = !strcmp(title, r->kernel) || !strcmp(name, r->kernel) ||
                (strlen(r->kernel) == length && !strncmp(title, r->kernel, length));
    }
    if (asked) {
        uint64_t number = r->launches++;
        asked = number >= r->first && number <= r->last && (number - r->first) % r->every == 0;
    }
    if (!asked)
        count_left_out(r, by_choice);
    return asked;
}

/* ---- a disk that is full ------------------------------------------------------------------------ */

/* Where files may only have a certain size (RLIMIT_FSIZE), a write beyond it fails like one on a full
 * disk, but first sends a signal, which would end the program. */
static sigset_t limit_signal(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    return set;
}

static void begin_writing(sigset_t *before) {
    const sigset_t of_limit = limit_signal();
    pthread_sigmask(SIG_BLOCK, &of_limit, before);
}

static void end_writing(const sigset_t *before) {
    const sigset_t of_limit = limit_signal();
    const struct timespec now = {0};
    const int error = errno;
    while (!sigismember(before, SIGXFSZ) && sigtimedwait(&of_limit, NULL, &now) == SIGXFSZ)
        ;
    pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = error;
}

/* ---- contents --------------------------------------------------------------------------------- */

static bool same(hash a, hash b) { return a.low == b.low && a.high == b.high; }

static const void *held(const hd_recording *r, const buffer *b) {
    return r->host->held(r->host->user, b->address, b->bytes);
}

/* What memory holds now, which is read if it may have changed. False: it cannot be read. */
static bool hash_held(const hd_recording *r, buffer *b, hash *h) {
    const hd_recording_host *host = r->host;
    const uint64_t version = host->version ? host->version(host->user, b->address) : 0;
    if (!version || version != b->version) {
        const void *bytes = held(r, b);
        if (!bytes)
            return false;
        const XXH128_hash_t of = XXH3_128bits(bytes, b->bytes);
        b->read = (hash){of.low64, of.high64};
        b->version = version;
    }
    *h = b->read;
    return true;
}

/* How contents stand in their file. */
enum { PLAIN, PACKED };

static const char *file_as(const hd_recording *r, hash h, uint64_t form) {
    return hd_format(r->arena, "contents/%016llx%016llx%s", (unsigned long long)h.high,
                     (unsigned long long)h.low, form == PACKED ? ".zst" : "");
}

/* Of what has been kept. */
static const char *file_of(const hd_recording *r, hash h) {
    return file_as(r, h, hd_hash_get_key(&r->written, &h));
}

/* Packs bytes into a file, of `room` bytes at most. */
static bool pack(hd_recording *r, int fd, ZSTD_inBuffer from, uint64_t room, uint64_t *written,
                 const char **why) {
    char part[1 << 16];
    size_t left = 1;
    *written = 0;
    ZSTD_CCtx_reset(r->packer, ZSTD_reset_session_only);
    while (left) {
        ZSTD_outBuffer out = {part, sizeof part, 0};
        left = ZSTD_compressStream2(r->packer, &out, &from, ZSTD_e_end);
        *written += out.pos;
        *why = *written > room ? by_limit : by_file;
        if (*written > room || ZSTD_isError(left) || !hd_write_all(fd, part, out.pos))
            return false;
    }
    return true;
}

/* What packing does not make smaller stands as it is. */
static bool write_bytes(hd_recording *r, int fd, const buffer *b, uint64_t *written, uint64_t *form,
                        const char **why) {
    const ZSTD_inBuffer from = {held(r, b), b->bytes, 0};
    const uint64_t room = r->limit - r->bytes, packed_room = room < b->bytes ? room : b->bytes;
    *form = PACKED;
    if (!from.src || pack(r, fd, from, packed_room, written, why))
        return from.src != NULL;
    if (*why != by_limit || b->bytes > room)
        return false;
    *form = PLAIN;
    *written = b->bytes;
    *why = by_file;
    return !ftruncate(fd, 0) && !lseek(fd, 0, SEEK_SET) && hd_write_all(fd, from.src, b->bytes);
}

/* A file that is there has all of its bytes, also where two processes write the same. */
static bool write_contents(hd_recording *r, hash h, const buffer *b, uint64_t *form,
                           const char **path, const char **why) {
    uint64_t written;
    *path = hd_format(r->arena, "%s/%s", r->folder, file_as(r, h, PLAIN));
    const char *part = hd_format(r->arena, "%s.%ld", *path, (long)r->pid);
    int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    *why = by_file;
    bool fine = fd >= 0 && write_bytes(r, fd, b, &written, form, why);
    fine = fd >= 0 && !close(fd) && fine &&
           !rename(part, hd_format(r->arena, "%s/%s", r->folder, file_as(r, h, *form)));
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
static bool keep(hd_recording *r, const buffer *b, hash h, const char **why) {
    if (hd_hash_get_key(&r->written, &h) != HD_NO_VALUE)
        return true;
    const char *path;
    uint64_t form;
    sigset_t before;
    begin_writing(&before);
    const bool fine = write_contents(r, h, b, &form, &path, why);
    end_writing(&before);
    if (!fine) {
        r->failed = *why == by_file ? path : NULL;
        return false;
    }
    hash *key = hd_new(r->arena, hash);
    *key = h;
    hd_hash_add_key(&r->written, key, form);
    return true;
}

static bool holds_zeros(const void *bytes, size_t count) {
    const char *at = bytes;
    return !*at && !memcmp(at, at + 1, count - 1);
}

/* ---- buffers ------------------------------------------------------------------------------------ */

static job *job_of(hd_recording *r, const void *module) {
    for (size_t i = 0; i < r->jobs.count; i++)
        if (r->jobs.data[i]->module == module)
            return r->jobs.data[i];
    job *j = hd_new(r->arena, job);
    j->module = module;
    j->by_address.arena = r->arena;
    hd_push(r->arena, &r->jobs, j);
    return j;
}

/* Some byte of these is another buffer's. */
static bool overlaps_other(const job *j, uint64_t address, size_t bytes) {
    for (size_t i = 0; i < j->buffers.count; i++) {
        const buffer *b = &j->buffers.data[i];
        if (b->address < address + bytes && address < b->address + b->bytes)
            return true;
    }
    return false;
}

static bool see(hd_recording *r, uint64_t address, size_t bytes, const char *form) {
    job *j = r->job;
    uint64_t at = hd_hash_get(&j->by_address, address);
    const bool is_new = at == HD_NO_VALUE;
    if (is_new) {
        if (overlaps_other(j, address, bytes))
            return false;
        at = j->buffers.count;
        buffer b = {.address = address, .bytes = bytes, .form = form};
        if (!hash_held(r, &b, &b.first))
            return false;
        b.known = b.before = b.first;
        b.is_zero = holds_zeros(held(r, &b), bytes);
        hd_push(r->arena, &j->buffers, b);
        hd_hash_set(&j->by_address, address, at);
    }
    buffer *b = &j->buffers.data[at];
    if (b->bytes != bytes)
        return false;
    if (b->seen)
        return true;
    b->seen = true;
    hd_push(r->arena, &r->seen, (uint32_t)at);
    return is_new || hash_held(r, b, &b->before);
}

void hd_recording_see(hd_recording *r, uint64_t address, size_t bytes, const char *form) {
    r->fine = r->fine && (!bytes || see(r, address, bytes, form));
}

/* ---- a launch ----------------------------------------------------------------------------------- */

void hd_recording_leave_out(hd_recording *r, const char *why) {
    for (size_t i = 0; r->job && i < r->seen.count; i++)
        r->job->buffers.data[r->seen.data[i]].seen = false;
    if (count_left_out(r, why) && r->failed)
        say_error(r, r->failed);
    r->failed = NULL;
    r->job = NULL;
}

static void add_quoted(hd_str *text, const char *name) {
    hd_str_add(text, "\"");
    for (; *name; name++)
        hd_str_printf(text, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
    hd_str_add(text, "\"");
}

/* The buffer that has this byte. */
static const buffer *buffer_at(const job *j, uint64_t address) {
    for (size_t i = 0; i < j->buffers.count; i++)
        if (j->buffers.data[i].seen &&
            address - j->buffers.data[i].address < j->buffers.data[i].bytes)
            return &j->buffers.data[i];
    return NULL;
}

static uint32_t number_of(const job *j, const buffer *b) {
    return (uint32_t)(b - j->buffers.data) + 1;
}

static void begin_arg(hd_recording *r, const char *name) {
    hd_str_add(&r->args, "      - {name: ");
    add_quoted(&r->args, name);
}

bool hd_recording_arg_memory(hd_recording *r, const char *name, uint64_t address) {
    const buffer *to = buffer_at(r->job, address);
    if (!to)
        return false;
    begin_arg(r, name);
    hd_str_printf(&r->args, ", buffer: m%u", number_of(r->job, to));
    if (address != to->address)
        hd_str_printf(&r->args, ", offset: %llu", (unsigned long long)(address - to->address));
    hd_str_add(&r->args, "}\n");
    return true;
}

void hd_recording_arg_bytes(hd_recording *r, const char *name, const void *bytes, size_t count) {
    begin_arg(r, name);
    hd_str_add(&r->args, ", bytes: \"");
    for (size_t i = 0; i < count; i++)
        hd_str_printf(&r->args, "%02x", ((const unsigned char *)bytes)[i]);
    hd_str_add(&r->args, "\"}\n");
}

void hd_recording_arg_text(hd_recording *r, const char *name, const char *text) {
    begin_arg(r, name);
    hd_str_printf(&r->args, ", %s}\n", text);
}

void hd_recording_begin(hd_recording *r, const void *module, const char *text,
                        const char *options) {
    r->job = job_of(r, module);
    r->job->text = text;
    r->job->options = options;
    r->seen.count = 0;
    r->args = (hd_str){.arena = r->arena};
    r->fine = true;
}

bool hd_recording_before(hd_recording *r) {
    const char *why = by_address;
    bool fine = r->fine;
    for (size_t i = 0; i < r->seen.count && fine; i++) {
        const buffer *b = &r->job->buffers.data[r->seen.data[i]];
        bool is_start = same(b->first, b->before) && !b->is_zero;
        if (is_start || !same(b->known, b->before))
            fine = keep(r, b, b->before, &why);
    }
    if (!fine)
        hd_recording_leave_out(r, why);
    return fine;
}

/* "[2, 3]"; dims 0: as many as are used. */
static void add_sizes(hd_str *text, const char *key, const uint64_t *sizes, uint32_t dims) {
    dims = dims ? dims : sizes[2] > 1 ? 3 : sizes[1] > 1 ? 2 : 1;
    hd_str_printf(text, "    %s: [%llu", key, (unsigned long long)sizes[0]);
    for (uint32_t d = 1; d < dims; d++)
        hd_str_printf(text, ", %llu", (unsigned long long)sizes[d]);
    hd_str_add(text, "]\n");
}

static void add_held(const hd_recording *r, const char *key, bool is_after, hd_str *text) {
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
                      file_of(r, to));
    }
    if (!any && is_after)
        hd_str_printf(text, "    %s: []\n", key);
}

/* The entry of the launch in the job's list of launches. */
static void add_launch(const hd_recording *r, const hd_recorded_launch *l, hd_str *text) {
    hd_str_add(text, "  - kernel: ");
    add_quoted(text, l->kernel);
    hd_str_add(text, "\n");
    add_sizes(text, l->is_cuda ? "blocks" : "global", l->grid, l->dims);
    add_sizes(text, l->is_cuda ? "threads" : "local", l->block, l->dims);
    if (l->offset[0] | l->offset[1] | l->offset[2])
        add_sizes(text, "offset", l->offset, l->dims);
    if (l->is_cuda)
        hd_str_printf(text, "    shared: %llu\n", (unsigned long long)l->shared);
    if (l->cluster[0])
        hd_str_printf(text, "    cluster: [%u, %u, %u]\n", l->cluster[0], l->cluster[1],
                      l->cluster[2]);
    hd_str_add(text, l->cooperative ? "    cooperative: true\n" : "");
    add_held(r, "before", false, text);
    if (r->args.length)
        hd_str_printf(text, "    args:\n%s", hd_str_text(&r->args));
    add_held(r, "after", true, text);
}

/* The entries of those buffers that no launch of the job has had yet. */
static void add_buffers(const hd_recording *r, hd_str *text) {
    for (size_t i = 0; i < r->seen.count; i++) {
        const buffer *b = &r->job->buffers.data[r->seen.data[i]];
        if (b->is_listed)
            continue;
        hd_str_printf(text, "  - {name: m%u, ", r->seen.data[i] + 1);
        if (b->form)
            hd_str_add(text, b->form);
        else
            hd_str_printf(text, "type: uchar, count: %zu", b->bytes);
        if (r->host->has_addresses)
            hd_str_printf(text, ", at: 0x%llx", (unsigned long long)b->address);
        if (same(b->first, b->before) && !b->is_zero)
            hd_str_printf(text, ", file: %s", file_of(r, b->first));
        hd_str_add(text, "}\n");
    }
}

/* ---- the files ---------------------------------------------------------------------------------- */

/* Names that nobody has yet, also where several processes record: "job.yaml" with "kernels.ptx",
 * "job-2.yaml" with "kernels-2.ptx". What the job begins with is in job.yaml.head. */
static bool begin_job(const hd_recording *r, job *j) {
    int fd = -1;
    hd_str number = {.arena = r->arena}, head = {.arena = r->arena};
    const char *kernels = NULL;
    for (unsigned n = 1; fd < 0; n++) {
        number.length = 0;
        if (n > 1)
            hd_str_printf(&number, "-%u", n);
        kernels = hd_format(r->arena, "kernels%s%s", hd_str_text(&number), r->host->extension);
        fd = open(hd_format(r->arena, "%s/job%s.yaml.head", r->folder, hd_str_text(&number)),
                  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            return false;
    }
    j->path = hd_format(r->arena, "%s/job%s.yaml", r->folder, hd_str_text(&number));
    hd_str_printf(&head, "kernel: %s\n", kernels);
    if (*j->options) {
        hd_str_add(&head, "options: ");
        add_quoted(&head, j->options);
        hd_str_add(&head, "\n");
    }
    bool fine = hd_write_all(fd, head.data, head.length);
    fine = !close(fd) && fine;
    kernels = hd_format(r->arena, "%s/%s", r->folder, kernels);
    fd = open(kernels, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    fine = fd >= 0 && fine && hd_write_all(fd, j->text, strlen(j->text));
    fine = fd >= 0 && !close(fd) && fine;
    if (!fine) { /* there may be room for it later */
        const int error = errno;
        unlink(kernels);
        unlink(hd_format(r->arena, "%s.head", j->path));
        j->path = NULL;
        errno = error;
    }
    return fine;
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

/* Both, or neither. */
static bool append_both(hd_arena *arena, const char *path, const hd_str *buffers,
                        const hd_str *launch) {
    const char *list = hd_format(arena, "%s.buffers", path);
    struct stat was;
    if (stat(list, &was))
        was.st_size = 0;
    if (!append(list, buffers))
        return false;
    if (append(hd_format(arena, "%s.launches", path), launch))
        return true;
    const int error = errno;
    if (truncate(list, was.st_size))
        unlink(list);
    errno = error;
    return false;
}

/* Each launch is in the files when it has run, whatever the process does next; heddle record makes
 * one of these when it has ended. */
static bool write_launch(hd_recording *r, const hd_recorded_launch *l) {
    job *j = r->job;
    hd_arena *scratch = hd_arena_new();
    hd_str buffers = {.arena = scratch}, launch = {.arena = scratch};
    sigset_t before;
    add_buffers(r, &buffers);
    add_launch(r, l, &launch);
    begin_writing(&before);
    const bool fine =
        (j->path || begin_job(r, j)) && append_both(scratch, j->path, &buffers, &launch);
    end_writing(&before);
    if (!fine)
        r->failed = j->path ? j->path : r->folder;
    hd_arena_free(scratch);
    return fine;
}

bool hd_recording_after(hd_recording *r, const hd_recorded_launch *l, bool fine) {
    if (!r->job)
        return true;
    const char *why = by_fault;
    for (size_t i = 0; i < r->seen.count && fine; i++) {
        buffer *b = &r->job->buffers.data[r->seen.data[i]];
        fine =
            hash_held(r, b, &b->after) && (same(b->after, b->before) || keep(r, b, b->after, &why));
    }
    if (fine) {
        why = by_file;
        fine = write_launch(r, l);
    }
    if (!fine) {
        hd_recording_leave_out(r, why);
        return false;
    }
    for (size_t i = 0; i < r->seen.count; i++) {
        buffer *b = &r->job->buffers.data[r->seen.data[i]];
        b->known = b->after;
        b->is_listed = true;
        b->seen = false;
    }
    r->job = NULL;
    return true;
}

const char *hd_recording_path(const hd_recording *r, const void *module) {
    for (size_t i = 0; i < r->jobs.count; i++)
        if (r->jobs.data[i]->module == module)
            return r->jobs.data[i]->path;
    return NULL;
}

bool hd_recording_is_on(const hd_recording *r) { return r->job != NULL; }

void hd_recording_end(hd_recording *r) {
    if (!r->results || getpid() != r->pid)
        return;
    json_t *list = json_array();
    for (size_t i = 0; i < r->left_out.count; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:I}", "why", r->left_out.data[i].why, "launches",
                                        (json_int_t)r->left_out.data[i].launches));
    hd_write_program_results(r->arena, json_pack("{s:o}", "left_out", list), r->results,
                             r->host->extension + 1);
}
