/* Ranks of MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli/mpi/mpi_ranks.h"

/* MPI counts bytes in an int. */
#define CHUNK ((size_t)1 << 30)
enum { TAG_HEAD = 1, TAG_BYTES = 2 };
/* From a signal to the end of waiting; mpirun kills what is still there a second after it. */
static const double stop_seconds = 0.5;

/* What stands before the bytes of a message. */
typedef struct head {
    uint64_t is_end, bytes;
    int64_t status; /* of an end: the exit status; its bytes are a text */
} head;

/* What comes from another rank. */
typedef struct incoming {
    head head;
    MPI_Request request;
    bool has_head, done;
    char *bytes;
    size_t received, chunk; /* bytes; those that `request` is for */
} incoming;

struct mpi_ranks {
    hd_ranks ranks;
    MPI_Comm comm;
    const volatile sig_atomic_t *stop;
    head *ends;       /* [count]; is_end: that rank has ended */
    char **texts;     /* [count] its text */
    incoming *from;   /* [count] */
    uint32_t speaker; /* the lowest of the others, who says so */
};

/* ---- one message from each rank to each ------------------------------------------------- */

typedef hd_vec(MPI_Request) requests;

static void send_all(hd_arena *arena, mpi_ranks *m, const head *heads, const hd_piece *out,
                     requests *sent) {
    for (uint32_t r = 0; r < m->ranks.count; r++) {
        if (r == m->ranks.rank)
            continue;
        MPI_Request request;
        MPI_Isend(&heads[r], sizeof *heads, MPI_BYTE, (int)r, TAG_HEAD, m->comm, &request);
        hd_push(arena, sent, request);
        for (size_t at = 0; at < out[r].count; at += CHUNK) {
            size_t left = out[r].count - at;
            MPI_Isend((const char *)out[r].bytes + at, (int)(left < CHUNK ? left : CHUNK), MPI_BYTE,
                      (int)r, TAG_BYTES, m->comm, &request);
            hd_push(arena, sent, request);
        }
    }
}

static void begin_receiving(mpi_ranks *m, uint32_t r) {
    incoming *in = &m->from[r];
    *in = (incoming){0};
    MPI_Irecv(&in->head, sizeof in->head, MPI_BYTE, (int)r, TAG_HEAD, m->comm, &in->request);
}

/* False: the rank is gone. *moved is set when something came. */
static bool go_on_receiving(mpi_ranks *m, uint32_t r, bool *moved) {
    incoming *in = &m->from[r];
    int came = 0;
    if (in->done)
        return true;
    if (MPI_Test(&in->request, &came, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return false;
    if (!came)
        return true;
    *moved = true;
    in->received += in->chunk;
    if (!in->has_head && in->head.bytes) {
        in->bytes = malloc(in->head.bytes);
        if (!in->bytes)
            hd_no_memory(in->head.bytes);
    }
    in->has_head = true;
    size_t left = in->head.bytes - in->received;
    in->chunk = left < CHUNK ? left : CHUNK;
    in->done = !left;
    if (left)
        MPI_Irecv(in->bytes + in->received, (int)in->chunk, MPI_BYTE, (int)r, TAG_BYTES, m->comm,
                  &in->request);
    return true;
}

static hd_status is_gone(mpi_ranks *m, const hd_diag *diag, uint32_t gone, bool is_stopped) {
    m->ranks.broken = true;
    for (m->speaker = 0; m->speaker < m->ranks.rank && !m->from[m->speaker].done; m->speaker++)
        ;
    return is_stopped
               ? hd_fail(diag, HD_ESYSTEM, NULL,
                         "rank %u is gone: it does not answer, and a signal ends the run", gone)
               : hd_fail(diag, HD_ESYSTEM, NULL, "rank %u is gone; the run ends here", gone);
}

/* Waits until everything is sent, and a message of each rank has come; with `until_end` its end. */
static hd_status wait_for_all(mpi_ranks *m, const hd_diag *diag, requests *sent, bool until_end) {
    uint32_t idle = 0;
    double stopped_at = 0;
    for (;;) {
        int all_sent = 0;
        bool moved = false, all = true;
        if (MPI_Testall((int)sent->count, sent->data, &all_sent, MPI_STATUSES_IGNORE))
            all_sent = 0;
        uint32_t missing = m->ranks.rank;
        for (uint32_t r = 0; r < m->ranks.count; r++) {
            if (r == m->ranks.rank || m->ends[r].is_end)
                continue;
            if (!go_on_receiving(m, r, &moved))
                return is_gone(m, diag, r, false);
            if (m->from[r].done && m->from[r].head.is_end) {
                incoming *in = &m->from[r]; /* kept, whoever waits for it */
                m->ends[r] = in->head;
                m->texts[r] = hd_zeroed(in->head.bytes + 1, 1);
                if (in->head.bytes)
                    memcpy(m->texts[r], in->bytes, in->head.bytes);
                free(in->bytes);
                in->bytes = NULL;
            } else if (m->from[r].done && until_end) {
                free(m->from[r].bytes);
                begin_receiving(m, r);
            }
            if (!m->from[r].done) {
                all = false;
                missing = missing == m->ranks.rank ? r : missing;
            }
        }
        if (all && all_sent)
            return HD_OK;
        if (moved)
            idle = 0;
        if (++idle > 200) /* does not take a core from ranks that have work */
            nanosleep(&(const struct timespec){0, 200000}, NULL);
        if (!*m->stop || all)
            continue;
        stopped_at = stopped_at > 0 ? stopped_at : hd_clock();
        if (hd_clock() - stopped_at > stop_seconds)
            return is_gone(m, diag, missing, true);
    }
}

/* Heads are the caller's, who waits until they are sent. */
static hd_status send_and_wait(mpi_ranks *m, const hd_diag *diag, const head *heads,
                               const hd_piece *out) {
    hd_arena *arena = hd_arena_new();
    requests sent = {0};
    for (uint32_t r = 0; r < m->ranks.count; r++)
        if (r != m->ranks.rank && !m->ends[r].is_end)
            begin_receiving(m, r);
    send_all(arena, m, heads, out, &sent);
    hd_status status = wait_for_all(m, diag, &sent, heads[0].is_end);
    hd_arena_free(arena);
    return status;
}

/* ---- exchanging ---------------------------------------------------------------------------- */

/* Of the ranks that have ended with something wrong the lowest; m->ranks.count: there is none. */
static uint32_t failed_rank(const mpi_ranks *m) {
    uint32_t r = 0;
    while (r < m->ranks.count && !(m->ends[r].is_end && m->ends[r].status))
        r++;
    return r;
}

/* The first rank prints what another one would have. */
static hd_status say_failed(const mpi_ranks *m, const hd_diag *diag, uint32_t r) {
    if (!*m->texts[r])
        return hd_fail(diag, HD_ESYSTEM, NULL, "rank %u ended before the others", r);
    if (m->ranks.rank == 0) {
        fputs(m->texts[r], stderr);
        hd_note(diag, NULL, "that was rank %u of %u", r, m->ranks.count);
    }
    return HD_ESYSTEM;
}

static hd_status exchange(void *self, const hd_diag *diag, const hd_piece *out, hd_piece *in) {
    mpi_ranks *m = self;
    memset(in, 0, m->ranks.count * sizeof *in);
    if (m->ranks.broken)
        return HD_ESYSTEM;
    head *heads = hd_zeroed(m->ranks.count, sizeof *heads);
    for (uint32_t r = 0; r < m->ranks.count; r++)
        heads[r].bytes = out[r].count;
    hd_status status = send_and_wait(m, diag, heads, out);
    if (m->ranks.broken)
        return status;
    free(heads);
    uint32_t own = m->ranks.rank;
    for (uint32_t r = 0; r < m->ranks.count; r++)
        if (r != own && !m->ends[r].is_end) {
            in[r] = (hd_piece){m->from[r].bytes, m->from[r].head.bytes};
            m->from[r].bytes = NULL;
        }
    in[own].count = out[own].count;
    if (out[own].count) {
        in[own].bytes = hd_zeroed(out[own].count, 1);
        memcpy(in[own].bytes, out[own].bytes, out[own].count);
    }
    bool any_ended = false;
    for (uint32_t r = 0; r < m->ranks.count; r++)
        any_ended |= m->ends[r].is_end;
    if (!any_ended)
        return HD_OK;
    for (uint32_t r = 0; r < m->ranks.count; r++) {
        free(in[r].bytes);
        in[r] = (hd_piece){0};
    }
    uint32_t failed = failed_rank(m);
    for (uint32_t r = 0; r < m->ranks.count && failed == m->ranks.count; r++)
        failed = m->ends[r].is_end ? r : failed;
    return say_failed(m, diag, failed);
}

/* ---- the beginning and the end -------------------------------------------------------------- */

hd_status mpi_ranks_open(hd_arena *arena, const hd_diag *diag, const volatile sig_atomic_t *stop,
                         mpi_ranks **ranks) {
    int rank, count, level;
    mpi_ranks *m = hd_new(arena, mpi_ranks);
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS ||
        MPI_Comm_dup(MPI_COMM_WORLD, &m->comm) != MPI_SUCCESS)
        return hd_fail(diag, HD_ESYSTEM, NULL, "MPI does not start");
    MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(m->comm, &rank);
    MPI_Comm_size(m->comm, &count);
    MPI_Comm beside;
    int beside_count = 0;
    if (MPI_Comm_split_type(m->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &beside) ==
        MPI_SUCCESS) {
        MPI_Comm_size(beside, &beside_count);
        MPI_Comm_free(&beside);
    }
    m->ranks = (hd_ranks){(uint32_t)rank, (uint32_t)count, m, exchange, (uint32_t)beside_count};
    m->stop = stop;
    m->ends = hd_new_array(arena, head, m->ranks.count);
    m->texts = hd_new_array(arena, char *, m->ranks.count);
    m->from = hd_new_array(arena, incoming, m->ranks.count);
    *ranks = m;
    return HD_OK;
}

const hd_ranks *mpi_ranks_get(const mpi_ranks *m) { return &m->ranks; }

int mpi_ranks_end(mpi_ranks *m, const hd_diag *diag, int status, const char *text) {
    uint32_t count = m->ranks.count;
    head *heads = hd_zeroed(count, sizeof *heads);
    hd_piece *out = hd_zeroed(count, sizeof *out);
    for (uint32_t r = 0; r < count; r++) {
        heads[r] = (head){1, strlen(text), status};
        out[r] = (hd_piece){(void *)(uintptr_t)text, strlen(text)}; /* NOLINT */
    }
    if (!m->ranks.broken)
        (void)send_and_wait(m, diag, heads, out);
    if (m->ranks.broken) { /* MPI would wait for the one that is gone */
        if (m->speaker == m->ranks.rank && m->ranks.rank)
            fputs(text, stderr);
        fflush(NULL);
        _exit(status ? status : EXIT_FAILURE);
    }
    uint32_t failed = failed_rank(m);
    if (failed < count && !status)
        (void)say_failed(m, diag, failed);
    for (uint32_t r = 0; r < count; r++) {
        if (m->ends[r].is_end && m->ends[r].status > status)
            status = (int)m->ends[r].status;
        free(m->texts[r]);
    }
    free(heads);
    free(out);
    MPI_Comm_free(&m->comm);
    MPI_Finalize();
    return status;
}
