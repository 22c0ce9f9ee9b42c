/*
 * Zoltan's hypergraph partitioner (Devine, Boman, Heaphy, Bisseling and Catalyurek, "Parallel
 * hypergraph partitioning for scientific computing", IPDPS 2006): each rank hands it a share of the
 * vertices and of the nets, and is told the parts of its vertices.
 *
 * METIS (Karypis and Kumar, "A fast and high quality multilevel scheme for partitioning irregular
 * graphs", SIAM J. Sci. Comput. 20, 1998) cuts graphs. There a net of few vertices is an edge
 * between each two of them, which together weigh what it does; one of more has a vertex of its own,
 * without weight, that is joined to all.
 */
#include "cli/mpi/mpi_ranks.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mpi.h>

#include "order/hypergraph_file.h"
#include "order/orders.h"

typedef struct hypergraph {
    const hypergraph_head *head;
    const uint64_t *first;
    const uint32_t *weight, *thread, *sizes;
} hypergraph;

static int fail(const char *what) {
    fprintf(stderr, "heddle-mpi partition: %s\n", what);
    return 1;
}

/* The file, as it lies in memory; what is no hypergraph is refused. */
static bool map_file(const char *path, hypergraph *h) {
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &about) != 0 || about.st_size < (off_t)sizeof *h->head)
        return false;
    uint64_t size = (uint64_t)about.st_size;
    const char *at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (at == MAP_FAILED)
        return false;
    h->head = (const hypergraph_head *)at;
    h->first = (const uint64_t *)(h->head + 1);
    h->weight = (const uint32_t *)(h->first + h->head->nets + 1);
    h->thread = h->weight + h->head->nets;
    h->sizes = h->thread + h->head->pins;
    const hypergraph_head *head = h->head;
    if (head->magic != HYPERGRAPH_MAGIC || head->nets >> 31 || head->pins >> 31 ||
        head->vertices >> 31 || !head->vertices || !head->parts || head->parts > head->vertices ||
        (const char *)(h->sizes + head->parts) != at + size || h->first[head->nets] != head->pins)
        return false;
    for (uint64_t n = 0; n < head->nets; n++)
        if (h->first[n] > h->first[n + 1])
            return false;
    for (uint64_t p = 0; p < head->pins; p++)
        if (h->thread[p] >= head->vertices)
            return false;
    return true;
}

static int write_parts(const char *path, const uint32_t *part, uint32_t vertices) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || !hd_write_all(file, part, vertices * sizeof *part) || close(file) != 0)
        return fail("the parts cannot be written");
    return 0;
}

/* ---- METIS -------------------------------------------------------------------------------------- */

#ifdef HEDDLE_METIS
#include <metis.h>

enum { CLIQUE = 8 }; /* vertices of a net that has no vertex of its own */

typedef struct graph {
    idx_t *first, *other, *weight, *load;
    idx_t vertices;
} graph;

/* Edges of one vertex: those to one neighbour are one. */
typedef struct collecting {
    idx_t *sum;             /* [vertices] */
    hd_vec(uint32_t) found; /* with `sum` */
} collecting;

static void add_edge(hd_arena *arena, collecting *c, uint32_t to, double weight) {
    idx_t w = weight < 1 ? 1 : (idx_t)weight;
    if (!c->sum[to])
        hd_push(arena, &c->found, to);
    c->sum[to] += w;
}

static void make_graph(hd_arena *arena, const hypergraph *h, graph *g) {
    const uint32_t vertices = h->head->vertices;
    uint32_t all = vertices;
    uint32_t *star = hd_new_array(arena, uint32_t, h->head->nets + 1); /* 0: none */
    uint64_t *of = hd_new_array(arena, uint64_t, vertices + 2), edges = 0;
    uint32_t *net = hd_new_array(arena, uint32_t, h->head->pins + 1);
    for (uint32_t n = 0; n < h->head->nets; n++) {
        uint64_t count = h->first[n + 1] - h->first[n];
        if (count > CLIQUE)
            star[n] = all++;
        edges += count > CLIQUE ? 2 * count : count * (count - !!count);
        for (uint64_t p = h->first[n]; p < h->first[n + 1]; p++)
            of[h->thread[p] + 2]++;
    }
    for (uint32_t v = 1; v <= vertices; v++)
        of[v + 1] += of[v];
    for (uint32_t n = 0; n < h->head->nets; n++)
        for (uint64_t p = h->first[n]; p < h->first[n + 1]; p++)
            net[of[h->thread[p] + 1]++] = n;
    *g = (graph){.first = hd_new_array(arena, idx_t, all + 1),
                 .other = hd_new_array(arena, idx_t, edges + 1),
                 .weight = hd_new_array(arena, idx_t, edges + 1),
                 .load = hd_new_array(arena, idx_t, all + 1),
                 .vertices = (idx_t)all};
    collecting c = {.sum = hd_new_array(arena, idx_t, all + 1)};
    /* Weights are scaled so that all of them together stay far from the end of METIS's numbers. */
    double sum = 0;
    for (uint64_t n = 0; n < h->head->nets; n++)
        sum += (double)h->weight[n] * (double)(h->first[n + 1] - h->first[n]);
    double scale = sum ? (double)(1 << 28) / sum : 0;
    idx_t at = 0;
    for (uint32_t v = 0; v < vertices; v++) {
        g->load[v] = 1;
        c.found.count = 0;
        for (uint64_t i = of[v]; i < of[v + 1]; i++) {
            uint32_t n = net[i];
            double weight = h->weight[n] * scale;
            uint64_t count = h->first[n + 1] - h->first[n];
            if (star[n])
                add_edge(arena, &c, star[n], weight);
            for (uint64_t p = h->first[n]; !star[n] && p < h->first[n + 1]; p++)
                if (h->thread[p] != v)
                    add_edge(arena, &c, h->thread[p], weight / (double)(count - 1));
        }
        for (size_t i = 0; i < c.found.count; i++) {
            g->other[at] = (idx_t)c.found.data[i];
            g->weight[at++] = c.sum[c.found.data[i]];
            c.sum[c.found.data[i]] = 0;
        }
        g->first[v + 1] = at;
    }
    for (uint32_t n = 0; n < h->head->nets; n++) {
        double weight = h->weight[n] * scale;
        for (uint64_t p = h->first[n]; star[n] && p < h->first[n + 1]; p++) {
            g->other[at] = (idx_t)h->thread[p];
            g->weight[at++] = weight < 1 ? 1 : (idx_t)weight;
        }
        if (star[n])
            g->first[star[n] + 1] = at;
    }
}

static int cut_by_metis(hd_arena *arena, const hypergraph *h, const char *out) {
    graph g;
    make_graph(arena, h, &g);
    idx_t one = 1, parts = (idx_t)h->head->parts, cut, options[METIS_NOPTIONS];
    idx_t *found = hd_new_array(arena, idx_t, (size_t)g.vertices);
    real_t *shares = hd_new_array(arena, real_t, h->head->parts), most = 1.01f;
    for (uint32_t p = 0; p < h->head->parts; p++)
        shares[p] = (real_t)h->sizes[p] / (real_t)h->head->vertices;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    /* By bisection: its k-way method is poor at parts of a few vertices. */
    int answer = METIS_PartGraphRecursive(&g.vertices, &one, g.first, g.other, g.load, NULL,
                                          g.weight, &parts, shares, &most, options, &cut, found);
    if (answer != METIS_OK)
        return fail("METIS finds no parts");
    uint32_t *part = hd_new_array(arena, uint32_t, h->head->vertices);
    for (uint32_t v = 0; v < h->head->vertices; v++)
        part[v] = (uint32_t)found[v];
    return write_parts(out, part, h->head->vertices);
}
#endif

/* ---- Zoltan ------------------------------------------------------------------------------------- */

#ifdef HEDDLE_ZOLTAN
#include <zoltan.h>

/* What this rank hands to Zoltan. */
typedef struct share {
    const hypergraph *h;
    uint32_t first_vertex, end_vertex;
    uint64_t first_net, end_net;
} share;

static int count_vertices(void *data, int *error) {
    const share *s = data;
    *error = ZOLTAN_OK;
    return (int)(s->end_vertex - s->first_vertex);
}

static void list_vertices(void *data, int globals, int locals, ZOLTAN_ID_PTR global,
                          ZOLTAN_ID_PTR local, int weights, float *weight, int *error) {
    const share *s = data;
    (void)globals, (void)locals, (void)local, (void)weights, (void)weight;
    for (uint32_t v = s->first_vertex; v < s->end_vertex; v++)
        global[v - s->first_vertex] = v;
    *error = ZOLTAN_OK;
}

static void count_nets(void *data, int *lists, int *pins, int *format, int *error) {
    const share *s = data;
    *lists = (int)(s->end_net - s->first_net);
    *pins = (int)(s->h->first[s->end_net] - s->h->first[s->first_net]);
    *format = ZOLTAN_COMPRESSED_EDGE;
    *error = ZOLTAN_OK;
}

static void list_nets(void *data, int globals, int lists, int pins, int format, ZOLTAN_ID_PTR net,
                      int *first, ZOLTAN_ID_PTR vertex, int *error) {
    const share *s = data;
    (void)globals, (void)format;
    for (int n = 0; n < lists; n++) {
        net[n] = (ZOLTAN_ID_TYPE)(s->first_net + (uint64_t)n);
        first[n] = (int)(s->h->first[s->first_net + (uint64_t)n] - s->h->first[s->first_net]);
    }
    for (int p = 0; p < pins; p++)
        vertex[p] = s->h->thread[s->h->first[s->first_net] + (uint64_t)p];
    *error = ZOLTAN_OK;
}

static void count_weights(void *data, int *edges, int *error) {
    const share *s = data;
    *edges = (int)(s->end_net - s->first_net);
    *error = ZOLTAN_OK;
}

static void list_weights(void *data, int globals, int locals, int edges, int dims,
                         ZOLTAN_ID_PTR net, ZOLTAN_ID_PTR local, float *weight, int *error) {
    const share *s = data;
    (void)globals, (void)locals, (void)dims, (void)local;
    for (int n = 0; n < edges; n++) {
        net[n] = (ZOLTAN_ID_TYPE)(s->first_net + (uint64_t)n);
        weight[n] = (float)s->h->weight[s->first_net + (uint64_t)n];
    }
    *error = ZOLTAN_OK;
}

static void set_up(struct Zoltan_Struct *z, share *s) {
    char parts[16];
    snprintf(parts, sizeof parts, "%u", s->h->head->parts);
    const char *const figures[][2] = {
        {"DEBUG_LEVEL", "0"},         {"LB_METHOD", "HYPERGRAPH"}, {"HYPERGRAPH_PACKAGE", "PHG"},
        {"LB_APPROACH", "PARTITION"}, {"NUM_GLOBAL_PARTS", parts}, {"RETURN_LISTS", "PARTS"},
        {"OBJ_WEIGHT_DIM", "0"},      {"EDGE_WEIGHT_DIM", "1"},    {"IMBALANCE_TOL", "1.02"}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        Zoltan_Set_Param(z, figures[i][0], figures[i][1]);
    Zoltan_Set_Num_Obj_Fn(z, count_vertices, s);
    Zoltan_Set_Obj_List_Fn(z, list_vertices, s);
    Zoltan_Set_HG_Size_CS_Fn(z, count_nets, s);
    Zoltan_Set_HG_CS_Fn(z, list_nets, s);
    Zoltan_Set_HG_Size_Edge_Wts_Fn(z, count_weights, s);
    Zoltan_Set_HG_Edge_Wts_Fn(z, list_weights, s);
}

/* Parts of this rank's vertices into part[], where all others are 0. */
static bool cut(hd_arena *arena, struct Zoltan_Struct *z, share *s, uint32_t *part) {
    const hypergraph_head *head = s->h->head;
    set_up(z, s);
    int *which = hd_new_array(arena, int, head->parts), *weights = NULL;
    float *sizes = hd_new_array(arena, float, head->parts);
    for (uint32_t p = 0; p < head->parts; p++) {
        which[p] = (int)p;
        sizes[p] = (float)s->h->sizes[p];
    }
    Zoltan_LB_Set_Part_Sizes(z, 1, (int)head->parts, which, weights, sizes);
    int changed, globals, locals, imports, exports, *import_rank, *import_part, *export_rank,
        *export_part;
    ZOLTAN_ID_PTR import, import_local, export, export_local;
    int answer = Zoltan_LB_Partition(z, &changed, &globals, &locals, &imports, &import,
                                     &import_local, &import_rank, &import_part, &exports, &export,
                                     &export_local, &export_rank, &export_part);
    if (answer != ZOLTAN_OK && answer != ZOLTAN_WARN)
        return false;
    for (int i = 0; i < exports; i++)
        part[export[i]] = (uint32_t)export_part[i];
    Zoltan_LB_Free_Part(&import, &import_local, &import_rank, &import_part);
    Zoltan_LB_Free_Part(&export, &export_local, &export_rank, &export_part);
    return true;
}

static int cut_by_zoltan(hd_arena *arena, const hypergraph *h, const char *out) {
    float version;
    int rank, ranks;
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS || Zoltan_Initialize(0, NULL, &version) != ZOLTAN_OK)
        return fail("MPI does not start");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    uint64_t r = (uint64_t)rank, of = (uint64_t)ranks;
    share s = {.h = h,
               .first_vertex = (uint32_t)(h->head->vertices * r / of),
               .end_vertex = (uint32_t)(h->head->vertices * (r + 1) / of),
               .first_net = h->head->nets * r / of,
               .end_net = h->head->nets * (r + 1) / of};
    uint32_t *part = hd_new_array(arena, uint32_t, h->head->vertices);
    uint32_t *all = hd_new_array(arena, uint32_t, h->head->vertices);
    struct Zoltan_Struct *z = Zoltan_Create(MPI_COMM_WORLD);
    int good = z && cut(arena, z, &s, part), good_all;
    MPI_Allreduce(&good, &good_all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Reduce(part, all, (int)h->head->vertices, MPI_UINT32_T, MPI_MAX, 0, MPI_COMM_WORLD);
    int status = !good_all  ? fail("Zoltan finds no parts")
                 : rank > 0 ? 0
                            : write_parts(out, all, h->head->vertices);
    Zoltan_Destroy(&z);
    MPI_Finalize();
    return status;
}
#endif

/* ---- the word ----------------------------------------------------------------------------------- */

static int cut_by(hd_arena *arena, const hypergraph *h, const char *out) {
#ifdef HEDDLE_ZOLTAN
    if (h->head->partitioner == HD_PART_ZOLTAN)
        return cut_by_zoltan(arena, h, out);
#endif
#ifdef HEDDLE_METIS
    if (h->head->partitioner == HD_PART_METIS)
        return cut_by_metis(arena, h, out);
#endif
    bool zoltan = h->head->partitioner == HD_PART_ZOLTAN;
    fprintf(stderr, "this heddle-mpi was built without %s (Debian: %s)\n",
            zoltan ? "Zoltan" : "METIS", zoltan ? "libtrilinos-zoltan-dev" : "libmetis-dev");
    (void)arena, (void)out;
    return HYPERGRAPH_NO_PARTITIONER;
}

int mpi_partition(const char *in, const char *out) {
    hypergraph h;
    hd_arena *arena = hd_arena_new();
    if (!map_file(in, &h))
        return fail("there is no hypergraph to partition");
    int status = cut_by(arena, &h, out);
    hd_arena_free(arena);
    return status;
}
