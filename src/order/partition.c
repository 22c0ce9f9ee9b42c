/*
 * Parts by Zoltan's hypergraph partitioner or METIS's graph partitioner, in a process of their own:
 * heddle-mpi, so that nothing else links or starts MPI. The hypergraph goes there and the parts come
 * back in files without names.
 *
 * Partitioners leave parts somewhat uneven. Warps and blocks are not: vertices of parts that are
 * too large go to those that lack some, always the one that costs least.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order/groups.h"
#include "order/hypergraph_file.h"
#include "order/orders.h"

extern char **environ;

static const char *const titles[HD_PARTITIONERS] = {"greedy", "Zoltan", "METIS"};

/* ---- exact sizes -------------------------------------------------------------------------------- */

enum { FAR = 512 }; /* nets of more vertices say nothing about where one belongs */

typedef struct mending {
    group_nets g; /* of vertices */
    const uint32_t *sizes;
    uint32_t parts, lacking; /* no part before lacks vertices */
    uint32_t *part, *held;   /* [vertices], [parts] */
    int64_t *into;           /* [parts]: bytes that the vertex of `turn_of` shares with it */
    uint64_t *turn_of, *net_of, turn, net;
} mending;

/* What it costs that a vertex leaves its part for the best that lacks one, *to. */
static int64_t cost_of(mending *m, uint32_t vertex, uint32_t *to) {
    const hd_nets *nets = &m->g.nets;
    int64_t stays = 0, best = 0;
    *to = m->lacking;
    m->turn++;
    for (uint64_t i = m->g.of.first[vertex]; i < m->g.of.first[vertex + 1]; i++) {
        uint32_t n = m->g.of.net[i], others = 0;
        if (nets->first[n + 1] - nets->first[n] > FAR)
            continue;
        m->net++;
        for (uint64_t p = nets->first[n]; p < nets->first[n + 1]; p++) {
            uint32_t part = m->part[nets->thread[p]];
            others += part == m->part[vertex];
            if (m->held[part] >= m->sizes[part] || m->net_of[part] == m->net)
                continue;
            m->into[part] = (m->turn_of[part] == m->turn ? m->into[part] : 0) + nets->weight[n];
            m->turn_of[part] = m->turn;
            m->net_of[part] = m->net;
            if (m->into[part] > best) {
                best = m->into[part];
                *to = part;
            }
        }
        stays += others > 1 ? nets->weight[n] : 0;
    }
    return stays - best;
}

static void shrink(mending *m, uint32_t part, const uint32_t *members, uint32_t count) {
    while (m->held[part] > m->sizes[part]) {
        uint32_t best = UINT32_MAX, best_to = 0, to;
        int64_t least = INT64_MAX;
        while (m->held[m->lacking] >= m->sizes[m->lacking])
            m->lacking++;
        for (uint32_t i = 0; i < count; i++) {
            if (m->part[members[i]] != part)
                continue;
            int64_t cost = cost_of(m, members[i], &to);
            if (cost < least) {
                least = cost;
                best = members[i];
                best_to = to;
            }
        }
        m->part[best] = best_to;
        m->held[part]--;
        m->held[best_to]++;
    }
}

static void mend_sizes(hd_arena *arena, uint32_t vertices, const hd_nets *nets, uint32_t parts,
                       const uint32_t *sizes, uint32_t *part) {
    uint32_t *self = hd_alloc_items(arena, (size_t)vertices + 1, sizeof *self);
    uint32_t *first = hd_alloc_items(arena, (size_t)parts + 2, sizeof *first);
    uint32_t *members = hd_alloc_items(arena, (size_t)vertices + 1, sizeof *members);
    mending m = {.sizes = sizes,
                 .parts = parts,
                 .part = part,
                 .held = hd_alloc_items(arena, (size_t)parts + 1, sizeof *m.held),
                 .into = hd_alloc_items(arena, (size_t)parts + 1, sizeof *m.into),
                 .turn_of = hd_alloc_items(arena, (size_t)parts + 1, sizeof *m.turn_of),
                 .net_of = hd_alloc_items(arena, (size_t)parts + 1, sizeof *m.net_of)};
    for (uint32_t v = 0; v < vertices; v++) {
        self[v] = v;
        m.held[part[v]]++;
        first[part[v] + 2]++;
    }
    for (uint32_t p = 1; p <= parts; p++)
        first[p + 1] += first[p];
    for (uint32_t v = 0; v < vertices; v++)
        members[first[part[v] + 1]++] = v;
    m.g = group_nets_make(arena, nets, self, vertices);
    for (uint32_t p = 0; p < parts; p++)
        shrink(&m, p, members + first[p], first[p + 1] - first[p]);
}

/* ---- the process -------------------------------------------------------------------------------- */

enum { IN, OUT, ERR, FILES }; /* files without names */

static hd_status write_in(const hd_diag *diag, int file, const hypergraph_head *head,
                          const hd_nets *nets, const uint32_t *sizes) {
    static const uint64_t none = 0; /* `first` of no nets may be NULL */
    const uint64_t *first = nets->count ? nets->first : &none;
    if (hd_write_all(file, head, sizeof *head) &&
        hd_write_all(file, first, (nets->count + 1) * sizeof *first) &&
        hd_write_all(file, nets->weight, nets->count * sizeof *nets->weight) &&
        hd_write_all(file, nets->thread, head->pins * sizeof *nets->thread) &&
        hd_write_all(file, sizes, head->parts * sizeof *sizes))
        return HD_OK;
    return hd_fail_errno(diag, HD_ESYSTEM, NULL, "write the hypergraph for heddle-mpi");
}

/* The environment, and what makes one process of Open MPI begin quickly and quietly: it starts no
 * daemon, and looks for no network. Other MPIs do not know these names. */
static char **quiet_environment(hd_arena *arena) {
    static const char *const quiet[] = {"OMPI_MCA_ess_singleton_isolated=1", "OMPI_MCA_btl=self",
                                        "OMPI_MCA_pml=ob1", "OMPI_MCA_osc=^ucx,rdma",
                                        "OMPI_MCA_mtl=^ofi"};
    hd_vec(char *) all = {0};
    for (char **e = environ; *e; e++)
        if (strncmp(*e, "OMPI_", 5) && strncmp(*e, "PMIX_", 5)) /* of a run that we may be in */
            hd_push(arena, &all, *e);
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        hd_push(arena, &all, hd_strdup(arena, quiet[i]));
    hd_push(arena, &all, NULL);
    return all.data;
}

/* Its files are the process's 3, 4 and 2. */
static int run(hd_arena *arena, const char *program, const int *files, int *ended) {
    static const char *const words[] = {"heddle-mpi", "partition", "/dev/fd/3", "/dev/fd/4", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, files[ERR], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, files[ERR], STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, files[IN], 3);
    posix_spawn_file_actions_adddup2(&actions, files[OUT], 4);
    int failed = posix_spawn(&child, program, &actions, NULL, (char *const *)words,
                             quiet_environment(arena));
    posix_spawn_file_actions_destroy(&actions);
    while (!failed && waitpid(child, ended, 0) < 0 && errno == EINTR)
        ;
    return failed;
}

/* The last line that it said. */
static const char *last_words(hd_arena *arena, int file) {
    char text[512];
    off_t length = lseek(file, 0, SEEK_END), from = length - (off_t)sizeof text + 1;
    ssize_t got = pread(file, text, sizeof text - 1, from > 0 ? from : 0);
    while (got > 0 && (text[got - 1] == '\n' || text[got - 1] == ' '))
        got--;
    text[got > 0 ? got : 0] = '\0';
    const char *line = strrchr(text, '\n');
    return hd_strdup(arena, line ? line + 1 : text);
}

static hd_status read_parts(hd_arena *arena, const hd_diag *diag, hd_partitioner partitioner,
                            const int *files, int ended, uint32_t vertices, uint32_t parts,
                            uint32_t *part) {
    const char *said = last_words(arena, files[ERR]), *title = titles[partitioner];
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == HYPERGRAPH_NO_PARTITIONER)
        return hd_fail(diag, HD_EUNSUPPORTED, NULL, "%s", said);
    if (WIFSIGNALED(ended))
        return hd_fail(diag, HD_ESYSTEM, NULL, "%s, in heddle-mpi, ended by signal %d", title,
                       WTERMSIG(ended));
    if (WEXITSTATUS(ended))
        return hd_fail(diag, HD_ESYSTEM, NULL, "%s, in heddle-mpi, failed: %s", title,
                       *said ? said : "it does not say why");
    size_t bytes = vertices * sizeof *part;
    bool whole = pread(files[OUT], part, bytes, 0) == (ssize_t)bytes;
    for (uint32_t v = 0; v < vertices && whole; v++)
        whole = part[v] < parts;
    return whole ? HD_OK
                 : hd_fail(diag, HD_ESYSTEM, NULL, "%s, in heddle-mpi, gave no parts", title);
}

/* Above what the process gets as its own. */
static bool open_files(int *files) {
    enum { LOWEST = 16 };
    for (int i = 0; i < FILES; i++) {
        int file = memfd_create("hypergraph", MFD_CLOEXEC);
        files[i] = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, LOWEST);
        if (file >= 0)
            close(file);
        if (files[i] < 0)
            return false;
    }
    return true;
}

static hd_status ask(hd_arena *arena, const hd_diag *diag, const hypergraph_head *head,
                     const hd_nets *nets, const uint32_t *sizes, uint32_t *part) {
    int files[FILES] = {-1, -1, -1}, ended = 0, failed;
    hd_status status = HD_OK;
    const char *program = hd_own_program(arena, "heddle-mpi");
    if (!program)
        return hd_fail(diag, HD_EUNSUPPORTED, NULL,
                       "%s comes with heddle-mpi, which is not there: build Heddle where MPI is "
                       "(Debian: libopenmpi-dev libtrilinos-zoltan-dev libmetis-dev), or take the "
                       "partitioner 'greedy'",
                       titles[head->partitioner]);
    if (!open_files(files))
        status = hd_fail_errno(diag, HD_ESYSTEM, NULL, "make a file for heddle-mpi");
    else if (!(status = write_in(diag, files[IN], head, nets, sizes))) {
        failed = run(arena, program, files, &ended);
        errno = failed;
        status = failed ? hd_fail_errno(diag, HD_ESYSTEM, program, "run the program")
                        : read_parts(arena, diag, (hd_partitioner)head->partitioner, files, ended,
                                     head->vertices, head->parts, part);
    }
    for (int i = 0; i < FILES; i++)
        if (files[i] >= 0)
            close(files[i]);
    return status;
}

hd_status hd_partition(const hd_diag *diag, hd_partitioner partitioner, uint32_t vertices,
                       const hd_nets *nets, uint32_t parts, const uint32_t *sizes, uint32_t *part) {
    const hypergraph_head head = {.magic = HYPERGRAPH_MAGIC,
                                  .nets = nets->count,
                                  .pins = nets->count ? nets->first[nets->count] : 0,
                                  .vertices = vertices,
                                  .parts = parts,
                                  .partitioner = (uint32_t)partitioner};
    hd_arena *arena = hd_arena_new();
    hd_status status = ask(arena, diag, &head, nets, sizes, part);
    if (!status)
        mend_sizes(arena, vertices, nets, parts, sizes, part);
    hd_arena_free(arena);
    return status;
}
