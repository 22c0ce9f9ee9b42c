/*
 * libheddle-remap: data that lies on the device in another layout than on the host.
 *
 * A program keeps its arrays as they are. A map says how they are to lie on the device; the
 * library moves them there and back, and kernels find an element through the map's index
 * transform (heddle/index.h, or hd_remap_source()):
 *
 *     hd_remap *map;
 *     hd_remap_transpose(&diag, rows, columns, sizeof(float), &map);
 *     hd_remap_device *device;
 *     hd_remap_open_opencl(&diag, context, device_id, &device);
 *     hd_remap_to_device(&diag, device, map, &memory, features, NULL);
 *     ... the program's kernels ...
 *     hd_remap_from_device(&diag, device, map, features, &memory, NULL);
 *     hd_remap_close(device);
 *     hd_remap_free(map);
 *
 * The maps and the way they are hidden behind the transfer are those of Che, Sheaffer and
 * Skadron, "Dymaxion: Optimizing memory access patterns for heterogeneous systems", sections 3
 * and 5, with layouts of records in Heddle's notation in place of its array of structs.
 *
 * Every function that can fail returns HD_OK or has explained what is wrong through `diag`
 * (heddle/heddle.h). A NULL where something is needed, a number that an enum does not have, and
 * sizes that no memory can have are HD_EINPUT; functions that cannot fail give nothing for a NULL
 * map. There is no global state; a map may be used by several threads at once, a
 * device by one at a time.
 */
#ifndef HEDDLE_REMAP_H
#define HEDDLE_REMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/heddle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- maps -------------------------------------------------------------------- */

/* How data lies on the host, its source, and on the device. Free with hd_remap_free(). Maps keep
 * nothing of what they are made from. Bytes of the device's side that hold no element (gaps
 * between runs, the corners of a diagonal map) are left or set to zero. */
typedef struct hd_remap hd_remap;

/* A field of a struct: HD_REMAP_FIELD(struct body, x), or (struct body, pos.x). Names are those of
 * members, since they stand in device code. */
typedef struct hd_remap_field {
    const char *name;
    size_t offset, size, align; /* bytes */
} hd_remap_field;

#define HD_REMAP_FIELD(type, field)                                                              \
    {#field, offsetof(type, field), sizeof(((type *)0)->field), __alignof__(((type *)0)->field)}

/* A struct with all its fields, in order. */
typedef struct hd_remap_record {
    const char *name;
    size_t size, align; /* bytes */
    const hd_remap_field *fields;
    uint32_t field_count;
} hd_remap_record;

#define HD_REMAP_RECORD(type, field_list) \
    {#type, sizeof(type), __alignof__(type), field_list, sizeof(field_list) / sizeof *(field_list)}

/* `count` structs to a layout in Heddle's notation: "soa", "aosoa:32", "{x,y}{mass}:16",
 * "{x}{y}{mass}/da" (docs/layout.md). Errors in the notation stand at their column. Padding of
 * the structs is zero after the way back. */
hd_status hd_remap_layout(const hd_diag *diag, const hd_remap_record *record, const char *layout,
                          uint64_t count, hd_remap **map);

/* A matrix in rows to one in columns: element i goes to
 * rows * (i % columns) + i / columns (Dymaxion, section 5.1). */
hd_status hd_remap_transpose(const hd_diag *diag, uint64_t rows, uint64_t columns,
                             uint32_t element_bytes, hd_remap **map);

/* Diagonals become rows: the element in row r and column c goes to rows * (r + c) + r, so that
 * the device's side has rows + columns - 1 strips of `rows` places (Dymaxion, section 5.2). */
hd_status hd_remap_diagonal(const hd_diag *diag, uint64_t rows, uint64_t columns,
                            uint32_t element_bytes, hd_remap **map);

/* Morton order: the bits of row and column interleaved, the column's lowest bit first; where one
 * has more bits than the other, the rest stands above. Both sides of the matrix are filled up to
 * powers of two on the device. */
hd_status hd_remap_morton(const hd_diag *diag, uint64_t rows, uint64_t columns,
                          uint32_t element_bytes, hd_remap **map);

/* Place i of the device gets element index[i] of the source, for `count` places and
 * `source_count` elements; an index may name an element often (Dymaxion, section 5.3). On the
 * way back an element takes the value of the last place that names it, and one that none names
 * keeps what it had. `index_bytes` is 4 or 8: uint32_t or uint64_t, int32_t or int64_t. An index
 * out of range is HD_EINPUT and named. */
hd_status hd_remap_gather(const hd_diag *diag, const void *index, uint32_t index_bytes,
                          uint64_t count, uint64_t source_count, uint32_t element_bytes,
                          hd_remap **map);

/* Element i of `source_count` goes to place index[i] of `count`; two that meet in one place are
 * HD_EINPUT. Places that no element goes to are left. */
hd_status hd_remap_scatter(const hd_diag *diag, const void *index, uint32_t index_bytes,
                           uint64_t source_count, uint64_t count, uint32_t element_bytes,
                           hd_remap **map);

/* A map of the program's own. */
typedef struct hd_remap_user {
    uint64_t source_count, count; /* elements of the source; places on the device */
    uint32_t element_bytes;
    /* The place of an element, each its own. Called for every element when the map is made. */
    uint64_t (*place)(uint64_t element, const void *user);
    const void *user;
    /* The same for devices, or NULL where the map is for hosts alone: text that is OpenCL C and
     * CUDA C and defines `HD_INDEX place(HD_INDEX element)` with HD_FUNCTION before it
     * (heddle/index.h, which it may use). Compared with `place` on the device's first use. */
    const char *source;
} hd_remap_user;
hd_status hd_remap_user_map(const hd_diag *diag, const hd_remap_user *user, hd_remap **map);

void hd_remap_free(hd_remap *map);

/* Elements [first, first + count) of a map of a layout, or as many rows of a transpose, as a map
 * of their own. Other maps have no slices: HD_EUNSUPPORTED. */
hd_status hd_remap_slice(const hd_diag *diag, const hd_remap *map, uint64_t first, uint64_t count,
                         hd_remap **slice);

/* Bytes of the source. */
uint64_t hd_remap_source_bytes(const hd_remap *map);
/* Allocations on the device: one, or for "/da" as many as the layout has clusters. */
uint32_t hd_remap_parts(const hd_remap *map);
/* Bytes of one of them. */
uint64_t hd_remap_bytes(const hd_remap *map, uint32_t part);

/* Where something lies on the device. */
typedef struct hd_remap_place {
    uint32_t part;
    uint64_t offset; /* bytes */
} hd_remap_place;
/* Of field `field` of element `element` of a layout; of other maps field 0 is the element, and of
 * a gather `element` is the place. Where there is no such field or element the part is UINT32_MAX
 * and the offset UINT64_MAX. */
hd_remap_place hd_remap_find(const hd_remap *map, uint64_t element, uint32_t field);

/* Device code of the map's index transform, as text that is C, OpenCL C and CUDA C, with all
 * sizes as constants. It includes heddle/index.h, whose text hd_remap_index_text() returns for
 * compilers that find no files. For a layout it defines for each field
 * `HD_INDEX NAME_FIELD(HD_INDEX element)`, the byte offset in its part (what is no letter of C's in
 * FIELD becomes _, and two fields that then have one function are HD_EINPUT), for other maps
 * `HD_INDEX NAME(HD_INDEX element)`, the place's number. Maps with an index array have none:
 * HD_EUNSUPPORTED. Free the text with free(). */
hd_status hd_remap_source(const hd_diag *diag, const hd_remap *map, const char *name, char **text);
const char *hd_remap_index_text(void);

/* ---- host to host --------------------------------------------------------------- */

typedef enum hd_remap_simd {
    HD_REMAP_SIMD_BEST, /* of what the processor has */
    HD_REMAP_SIMD_NONE,
    HD_REMAP_SIMD_AVX2,
    HD_REMAP_SIMD_AVX512,
    HD_REMAP_SIMD_NEON
} hd_remap_simd;

typedef struct hd_remap_host_options {
    uint32_t threads;   /* 0: one for each core; at most 1024 are made */
    hd_remap_simd simd; /* one that the processor lacks is HD_EINPUT */
} hd_remap_host_options;

/* From the source into the device's layout, in memory of the host: to[part] has
 * hd_remap_bytes(map, part) bytes. `options` may be NULL. Memory that overlaps is HD_EINPUT. */
hd_status hd_remap_apply(const hd_diag *diag, const hd_remap *map, void *const to[],
                         const void *from, const hd_remap_host_options *options);
/* The way back. */
hd_status hd_remap_revert(const hd_diag *diag, const hd_remap *map, void *to,
                          const void *const from[], const hd_remap_host_options *options);

/* The same within `data`, which has hd_remap_in_place_bytes() bytes, for transposes and for
 * layouts of one part that are one `soa` cluster of fields of one size (others:
 * HD_EUNSUPPORTED). Every thread needs a scratch of at most hd_remap_in_place_scratch() bytes.
 * Bytes between the runs become anything. After an error (no memory) `data` holds anything. */
hd_status hd_remap_apply_in_place(const hd_diag *diag, const hd_remap *map, void *data,
                                  const hd_remap_host_options *options);
hd_status hd_remap_revert_in_place(const hd_diag *diag, const hd_remap *map, void *data,
                                   const hd_remap_host_options *options);
uint64_t hd_remap_in_place_bytes(const hd_remap *map);
uint64_t hd_remap_in_place_scratch(const hd_remap *map);

/* ---- orders: new numbers for elements --------------------------------------------- */

/* Programs with irregular data (meshes, particles, sparse matrices) have arrays of numbers that say
 * which elements belong together, and elements that are used together may lie far apart. An *order*
 * says which element stands at each place: order[place] = element, each once. It makes a map like
 * any other,
 *
 *     hd_remap_order_graph(&diag, &neighbours, order);
 *     hd_remap_gather(&diag, order, sizeof *order, count, count, sizeof *nodes, &map);
 *
 * by which hd_remap_apply() or hd_remap_to_device() brings the elements into the new order and
 * hd_remap_revert() or hd_remap_from_device() brings results back into the caller's. Lists of the
 * elements move by hd_remap_apply_rows(), and numbers of elements, wherever they stand, change by
 * hd_remap_apply_indices(). Orders depend on nothing but what they are made of. */

/* Lists of numbers in compressed rows (CSR): list i is number[first[i]] .. number[first[i + 1] - 1].
 * -1 (all bits set) is no number and stands for nothing. */
typedef struct hd_remap_lists {
    uint64_t count;       /* lists */
    const void *first;    /* [count + 1], ascending; NULL: each list has `each` numbers */
    uint32_t each;        /* list i is number[i * each] .. number[i * each + each - 1] */
    uint32_t index_bytes; /* of `first` and `number`, 4 or 8, as of hd_remap_gather() */
    const void *number;
} hd_remap_lists;

/* Reverse Cuthill-McKee of a graph of fewer than 2^32 - 1 elements (Cuthill and McKee, "Reducing
 * the bandwidth of sparse symmetric matrices", ACM 1969; George, 1971): elements that are joined get
 * near numbers. List i has the neighbours of element i; a pair that one of both has in its list is
 * joined. Fills order[neighbours->count]. Takes time for each neighbour, and 64 bytes for each
 * neighbour and each element; HD_ESYSTEM where they are not free. */
hd_status hd_remap_order_graph(const hd_diag *diag, const hd_remap_lists *neighbours,
                               uint32_t *order);
/* The same for `nodes` nodes, of which a list has those that are used together: the corners of a
 * cell, the ends of an edge. Lists of more than 64 nodes tell nothing and are left out. Fills
 * order[nodes]. */
hd_status hd_remap_order_mesh(const hd_diag *diag, const hd_remap_lists *cells, uint64_t nodes,
                              uint32_t *order);

/* An order of the lists themselves: by the least of their numbers, those with the same one as they
 * were, empty ones last. After the elements have got near numbers it brings edges, cells or rows
 * next to each other that touch the same elements. Fills order[lists->count]. */
hd_status hd_remap_order_lists(const hd_diag *diag, const hd_remap_lists *lists, uint64_t elements,
                               uint32_t *order);

/* Coordinates of elements, in any layout: axis[d] points to coordinate d of element 0, and each
 * element's lies `stride` bytes after the one before. */
typedef struct hd_remap_points {
    uint64_t count; /* fewer than 2^32 - 1 */
    uint32_t axes;  /* 1 to 3 */
    const void *axis[3];
    size_t stride;
    uint32_t coordinate_bytes; /* 4: float; 8: double */
} hd_remap_points;

/* Along a Hilbert curve: elements that are near get near numbers. Fills order[points->count].
 * Coordinates that are no numbers are HD_EINPUT. */
hd_status hd_remap_order_curve(const hd_diag *diag, const hd_remap_points *points, uint32_t *order);

/* Index arrays, whose values are numbers of elements of the source: to[i] is the place of element
 * from[i], for `count` of them of `index_bytes` (4 or 8); -1 stays. `to` may be `from`. For maps
 * with an index array (gathers, scatters, maps of the program's own); others are HD_EUNSUPPORTED. A
 * number that is no element, or of one without a place, is HD_EINPUT, and nothing is written. */
hd_status hd_remap_apply_indices(const hd_diag *diag, const hd_remap *map, void *to,
                                 const void *from, uint32_t index_bytes, uint64_t count,
                                 const hd_remap_host_options *options);
/* The way back: numbers of places become numbers of elements. */
hd_status hd_remap_revert_indices(const hd_diag *diag, const hd_remap *map, void *to,
                                  const void *from, uint32_t index_bytes, uint64_t count,
                                  const hd_remap_host_options *options);

/* Rows of values, each as long as it is, that move whole. Row i is values first[i] to
 * first[i + 1] - 1. */
typedef struct hd_remap_rows {
    void *first;          /* [elements + 1] */
    void *value;          /* [first[elements]] */
    uint32_t first_bytes; /* 4 or 8 */
    uint32_t value_bytes; /* any size */
} hd_remap_rows;

/* The row of each element goes to the element's place; to->first is made, and begins with 0. Both
 * have as many values and the same sizes; from->first begins with 0, too. What the values say is
 * not looked at: neighbours need hd_remap_apply_indices() besides. For maps with an index array
 * in which each element has one place and each place an element; others are HD_EUNSUPPORTED. */
hd_status hd_remap_apply_rows(const hd_diag *diag, const hd_remap *map, const hd_remap_rows *to,
                              const hd_remap_rows *from, const hd_remap_host_options *options);
/* The way back. */
hd_status hd_remap_revert_rows(const hd_diag *diag, const hd_remap *map, const hd_remap_rows *to,
                               const hd_remap_rows *from, const hd_remap_host_options *options);

/* ---- orders of threads ------------------------------------------------------------------ */

/* What the threads of a launch touch, each with the elements of its list one after the other. */
typedef struct hd_remap_touch {
    const void *array; /* which memory: touches of one array share its cache lines. Only compared,
                             * never read; NULL: an array of its own */
    uint64_t elements; /* of the array */
    uint32_t element_bytes;      /* that a thread touches at once, 1 to 65536 */
    uint32_t arrays;             /* like this one, touched by the same numbers (x, y and z); 0: 1 */
    const hd_remap_lists *lists; /* of each thread; threads beyond their count touch nothing. NULL:
                                  * thread t touches element t, those beyond `elements` nothing */
    bool reads_lists; /* the kernel reads the lists' numbers from memory that is as here */
} hd_remap_touch;

typedef struct hd_remap_launch {
    uint64_t threads;       /* a multiple of `block` */
    uint32_t block;         /* threads of a block, a work-group */
    uint32_t warp;          /* whose accesses are joined; 0: 32 */
    uint32_t segment_bytes; /* of a transaction, a power of two; 0: 32 */
    bool whole_blocks;      /* threads of a block stay together, in their places, as they meet at
                             * barriers or share local memory: only blocks get another order */
    const hd_remap_touch *touches;
    uint32_t touch_count;
    uint32_t workers; /* threads of the host that may work; 0: one for each core */
} hd_remap_launch;

/* What a launch takes by count: lanes of a warp that touch a segment in the same step share one
 * transaction, and a warp issues as many requests as its lane with the longest list. */
typedef struct hd_remap_traffic {
    uint64_t transactions, requests;
} hd_remap_traffic;

typedef struct hd_remap_expected {
    hd_remap_traffic before, after;
    double seconds; /* that making the order took */
} hd_remap_expected;

/* An order of threads in which fewer transactions serve them: those that touch the same memory
 * become warps, such warps blocks, and such blocks follow each other (Kuo, Chen, Lai and Jou, "Thread
 * affinity mapping for irregular data access on shared cache GPGPU", ASP-DAC 2012). Fills
 * order[launch->threads], order[place] = thread.
 *
 * Where threads have data of their own (their lists, a result each), bring these into the order, too,
 * as the elements of a graph: then the kernel stays as it is, and the touches are those of other
 * data alone. Else the kernel does at its place the work of another thread,
 *
 *     uint i = order[get_global_id(0)];
 *
 * as `heddle apply --map` writes it: there the order is `heddle_map`, and `heddle_map_first` is 0.
 *
 * An order that would not take fewer transactions and requests is 0, 1, 2, ... instead, but for
 * `whole_blocks`, where the counts stay and caches gain. `expected`, which may be NULL, says what
 * there is to gain and what it took; after how many launches that pays their time tells. Takes up to
 * 64 bytes of memory for each number (twice with `reads_lists`) and 200 for each thread; HD_ESYSTEM
 * where they are not free. */
hd_status hd_remap_order_threads(const hd_diag *diag, const hd_remap_launch *launch,
                                 uint32_t *order, hd_remap_expected *expected);

/* ---- orders in files --------------------------------------------------------------------- */

/* An order and what it is of, so that a program makes it once. In data that have changed since an
 * order is still one, if not as good. */
typedef struct hd_remap_named_order {
    const char *name; /* the kernel's, or any for elements: one line */
    uint32_t launch;  /* of orders for `heddle apply --map`: the job's first that it is for */
    uint32_t block;   /* threads of a block; of elements 1 */
    uint64_t count;
    uint32_t *order; /* [count] */
} hd_remap_named_order;

/* Writes a text file that `heddle apply --map` reads, too (docs/mapping.md), which appears whole or
 * not at all. What is no order is HD_EINPUT. */
hd_status hd_remap_save_orders(const hd_diag *diag, const char *path,
                               const hd_remap_named_order *orders, uint32_t order_count);
/* Fills the order of each of `orders` from the file's with the same name and launch; the file may
 * have more. One that is not there, or has another count or block, is HD_EINPUT, and so is a file
 * that is damaged, at its line; then nothing is written. */
hd_status hd_remap_load_orders(const hd_diag *diag, const char *path,
                               const hd_remap_named_order *orders, uint32_t order_count);

/* ---- devices ------------------------------------------------------------------------ */

/* A device that the program already uses, with the library's queues, kernels and staging memory
 * on it. Free with hd_remap_close(). */
typedef struct hd_remap_device hd_remap_device;

struct _cl_context;
struct _cl_device_id;
struct _cl_mem;

/* A cl_context and one of its cl_device_ids, which may be a part of a device. */
hd_status hd_remap_open_opencl(const hd_diag *diag, struct _cl_context *context,
                               struct _cl_device_id *id, hd_remap_device **device);
/* The CUDA context that is current in the calling thread, of the driver or the runtime
 * interface; the library's functions expect it to be current. */
hd_status hd_remap_open_cuda(const hd_diag *diag, hd_remap_device **device);
void hd_remap_close(hd_remap_device *device);

/* Memory on a device: a cl_mem, or a CUdeviceptr. */
typedef union hd_remap_memory {
    struct _cl_mem *opencl;
    uint64_t cuda;
} hd_remap_memory;

/* Where memory of the device's side lives (Heddle's docs/measure.md). In all but the first it is in
 * place: the host and the device use the same memory, and nothing is transferred. */
typedef enum hd_remap_placement {
    HD_REMAP_IN_DEVICE,  /* the device's own memory */
    HD_REMAP_IN_HOST,    /* pinned memory of the host */
    HD_REMAP_IN_FINE,    /* OpenCL: shared virtual memory, fine-grained */
    HD_REMAP_IN_COARSE,  /* OpenCL: the same, coarse-grained */
    HD_REMAP_IN_MANAGED, /* CUDA: managed memory */
    HD_REMAP_IN_HINTED   /* CUDA: the same, prefetched, with hints */
} hd_remap_placement;
enum { HD_REMAP_PLACEMENTS = 6 };

/* Memory for the parts of a map, parts[hd_remap_parts()], which the device has, and the library
 * remembers: of `opencl` a cl_mem, in shared virtual memory `cuda` as the pointer that
 * clSetKernelArgSVMPointer() takes. A placement that the device lacks is HD_EUNSUPPORTED, with the
 * reason. Release it with hd_remap_release(), before hd_remap_close(). */
hd_status hd_remap_allocate(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                            hd_remap_placement placement, hd_remap_memory parts[]);
void hd_remap_release(hd_remap_device *device, const hd_remap *map, const hd_remap_memory parts[]);

typedef enum hd_remap_strategy {
    HD_REMAP_PLANNED, /* as hd_remap_plan() says; of maps of at most 64 MiB the 8th, 16th, 32nd, ...
                          move tries another strategy, to learn from it */
    HD_REMAP_CHUNKED, /* chunks: one is transferred while another is remapped on the device */
    HD_REMAP_BULK,    /* one transfer, then one remap on the device */
    HD_REMAP_HOST,    /* the host remaps, then one transfer; none where memory is in place */
    HD_REMAP_ZERO_COPY /* the device remaps out of the host's memory, or into it; that begins at a
                          multiple of 16 bytes */
} hd_remap_strategy;
enum { HD_REMAP_STRATEGIES = 5 };
/* "planned", "chunked", "bulk", "host", "zero-copy" */
const char *hd_remap_strategy_name(hd_remap_strategy strategy);

typedef struct hd_remap_options {
    hd_remap_strategy strategy;
    uint64_t chunk_bytes; /* of the source; 0: as planned */
    hd_remap_host_options host;
} hd_remap_options;

/* From the host's source into the device's memory in the device's layout; to[part] has
 * hd_remap_bytes(map, part) bytes. Returns when all is there. What the program's own queues do with
 * the memory must be done before, and not begin meanwhile; CUDA's default stream is waited for.
 * After an error `to` holds anything. `options` may be NULL. */
hd_status hd_remap_to_device(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                             const hd_remap_memory to[], const void *from,
                             const hd_remap_options *options);
/* The way back. After an error (a device that is lost, say) `from` is as before, and so is the
 * host's memory, but for the bytes that the end of the message names: "; bytes 0 to 65535 of the
 * host's memory may have changed, no others". With HD_REMAP_HOST it never names any; with the other
 * strategies it may name some or all, since the transfer goes right there. A program that may need
 * what it had takes HD_REMAP_HOST, or gives other memory. */
hd_status hd_remap_from_device(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                               void *to, const hd_remap_memory from[],
                               const hd_remap_options *options);

/* Both in the device's memory. */
hd_status hd_remap_on_device(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                             const hd_remap_memory to[], hd_remap_memory from);
hd_status hd_remap_back_on_device(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                                  hd_remap_memory to, const hd_remap_memory from[]);

typedef enum hd_remap_direction { HD_REMAP_TO_DEVICE, HD_REMAP_FROM_DEVICE } hd_remap_direction;

typedef struct hd_remap_choice {
    hd_remap_strategy strategy;
    hd_remap_placement placement;        /* of the device's side */
    uint64_t chunk_bytes;                /* for HD_REMAP_CHUNKED */
    double seconds[HD_REMAP_STRATEGIES]; /* expected of each strategy; 0: it cannot be used */
    double transfer, remap;              /* expected seconds of the parts, in one piece */
    char why[256];                       /* one sentence */
} hd_remap_choice;

/* What would be done with memory in `placement`, from figures of the device that are measured when
 * first asked for, and kept in $XDG_CACHE_HOME/heddle or ~/.cache/heddle. That takes as long as
 * compiling some kernels: with PoCL some seconds for a device's first map, and less than one for
 * each other kind of map and direction; and once more in the next process, without the compiling,
 * since other work may have spoilt the first figures. What planned moves of maps of 1 MiB and more
 * have really taken counts more than the figures. In place it is HD_REMAP_HOST, of which `seconds`
 * says what that is expected to take; what a placement costs kernels the library cannot know. */
hd_status hd_remap_plan(const hd_diag *diag, hd_remap_device *device, const hd_remap *map,
                        hd_remap_direction direction, hd_remap_placement placement,
                        hd_remap_choice *choice);

/* ---- host and device at once --------------------------------------------------------- */

/* Work on an array that is split between two sides, each with its own layout (Dymaxion, chapter 6):
 * the host's threads take pieces as they lie, the device takes pieces in the layout of a map. What
 * is split are *units*: elements of a layout, rows of a transpose. `on_host` may itself use a device
 * that works in the host's memory, a processor or a part of one, as remap/examples/kmeans/shared.c
 * does. Nothing of this is kept after the call, and the library changes nothing of it but `data`. */
typedef struct hd_remap_work {
    const hd_remap *map; /* of the whole array; it must have slices */
    void *data;          /* [hd_remap_source_bytes(map)], the whole array in the host's layout */
    bool returns;        /* the device's work changes the data, so they are brought back */
    /* Works on units [first, first + count), where they lie in `data`; called by several threads
     * at once, each with units of its own, and by the calling thread, too. What is not HD_OK ends
     * all, and the function has said why. */
    hd_status (*on_host)(uint64_t first, uint64_t count, void *user);
    /* The same on the device, by the calling thread alone: unit `first` is the piece's first, and
     * memory[part], which is the library's, holds the piece as hd_remap_find(piece, ...) says.
     * Returns when done. */
    hd_status (*on_device)(const hd_remap *piece, const hd_remap_memory memory[], uint64_t first,
                           uint64_t count, void *user);
    void *user;
} hd_remap_work;

/* What came of it: device / (host + device) is the device's share. */
typedef struct hd_remap_shares {
    uint64_t host, device; /* units that each has done */
    double host_seconds;   /* that each was busy, the host's threads on average; of the device with
                            * its transfers, but without compiling */
    double device_seconds;
} hd_remap_shares;

/* Splits by the throughput that is measured as it runs: both sides take pieces until none is
 * left, smaller ones towards the end (guided self-scheduling; Polychronopoulos and Kuck, 1987, with
 * a share for each side). `threads` of the host, 0: one for each core but one. The device is
 * calibrated before either side begins, and moves go as hd_remap_plan() says. `shares` may be NULL.
 * A map without slices is HD_EUNSUPPORTED, work without a map, data or one of both functions
 * HD_EINPUT. After an error, of which the first that either side had is returned, pieces under way
 * are finished, and some of the data have been worked on and some not. */
hd_status hd_remap_share(const hd_diag *diag, hd_remap_device *device, const hd_remap_work *work,
                         uint32_t threads, hd_remap_shares *shares);

#ifdef __cplusplus
}
#endif

#endif
