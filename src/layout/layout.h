/*
 * Records, layouts, the notation, the address map.
 *
 *     record   a struct type of a kernel: fields with offset, size, alignment
 *     cluster  a group of fields kept together
 *     tile     elements per tile of a cluster: 1 is AoS, HD_TILE_SOA is SoA
 *     padded   a cluster of tile 1 whose elements are as large as a vector
 *     layout   an ordered partition of the fields into clusters, a tile each
 *
 * The address of field f of element i exists once in Heddle: hd_map_address().
 */
#ifndef HD_LAYOUT_H
#define HD_LAYOUT_H

#include "base/base.h"

/* ---- record.c ------------------------------------------------------------ */

typedef struct hd_record hd_record;

/* A field of a record. An array field (float d[3]) has count 3 and its element
 * in `size / count`; a nested struct is a field with sub-fields in `record`. A vector of 3
 * has the size of one of 4, as in OpenCL. */
typedef struct hd_field {
    const char *name;
    const char *type;  /* C type of one element: "float", "uint4", "struct vec" */
    uint32_t offset;   /* bytes from the start of the record */
    uint32_t size;     /* bytes of the whole field */
    uint32_t align;    /* bytes */
    uint32_t count;    /* elements of an array field (product over dimensions), else 1 */
    hd_record *record; /* of a struct-typed field, else NULL */
    uint32_t lanes;    /* of a vector, and of each element of an array of them; else 0 */
} hd_field;

/* A struct type. size is a multiple of align. At most HD_MAX_FIELDS fields. */
struct hd_record {
    const char *name;     /* tag or typedef name */
    const char *spelling; /* how kernel source names it: "struct body" or "body" */
    const char *alias;    /* a typedef's name beside the tag, or NULL */
    uint32_t size, align;
    uint32_t field_count;
    hd_field *fields;
    hd_place place; /* of the declaration; may be empty */
    /* A record whose fields are those of another one, some of them taken apart
     * (hd_record_split): that one; their names are paths in it, as "pos.x" or "d[1]". */
    const hd_record *whole;
    /* A record that no source declares: its fields are arrays of their own, which a job
     * says belong together. Its original layout is `da`, each field's array. */
    bool of_arrays;
    /* A record that a job declares of a buffer whose kernels know no struct. */
    bool by_job;
    /* Then: its fields, scalars of one type, are columns, one after another in the one buffer:
     * v[i + k * n] with n elements. Its original layout is `soa`. */
    bool in_columns;
};
enum { HD_MAX_FIELDS = 64 };

/* All fields, as a set of bits. */
static inline uint64_t hd_all_fields(const hd_record *record) {
    return record->field_count < 64 ? ((uint64_t)1 << record->field_count) - 1 : UINT64_MAX;
}

/* The source has an array for each field. */
static inline bool hd_record_is_soa(const hd_record *record) {
    return record->of_arrays || record->in_columns;
}
/* Where byte `byte` of element `element` lies in the source's array of `count` elements; and back,
 * as if that were an array of structs. */
static inline uint64_t hd_record_byte(const hd_record *record, uint64_t count, uint64_t element,
                                      uint64_t byte) {
    return record->in_columns
               ? (byte / record->align * count + element) * record->align + byte % record->align
               : element * record->size + byte;
}
static inline uint64_t hd_record_struct_byte(const hd_record *record, uint64_t count,
                                             uint64_t byte) {
    uint64_t scalar = byte / record->align;
    return record->in_columns ? scalar % count * record->size + scalar / count * record->align +
                                    byte % record->align
                              : byte;
}

/* The field with this name, or -1. */
int hd_record_find(const hd_record *record, const char *name);
/* "x, y, z" */
const char *hd_record_field_names(hd_arena *arena, const hd_record *record);
/* The field that holds byte `offset` of the record, or -1 in padding or beyond. */
int hd_record_field_at(const hd_record *record, uint32_t offset);
/* Computes offsets, size and alignment of the fields in order, by C's rules. */
void hd_record_lay_out(hd_record *record);
/* 1 to HD_MAX_FIELDS fields of positive size, in order of memory and each at a multiple of its
 * alignment, with any padding between them; the record's own alignment may be greater than that
 * of its fields. Otherwise HD_EUNSUPPORTED. */
hd_status hd_record_check(const hd_diag *diag, const hd_record *record);

/* ---- split.c ------------------------------------------------------------- */

/* `record` with these fields, arrays, nested structs or vectors, as several fields each: the
 * elements of an array are "d[0]", "d[1]" (an array of several dimensions is counted in the order
 * of memory), the members of a struct "pos.x", the lanes of a vector "v.x" to "v.w", or "v.s0" to
 * "v.sf" of more than four. A name may be one that an earlier one made. An
 * unknown name is HD_EINPUT at `place`; HD_EUNSUPPORTED: too many fields. With count 0 the
 * result is the record. */
hd_status hd_record_split(hd_arena *arena, const hd_diag *diag, const hd_place *place,
                          const hd_record *record, const char *const *names, uint32_t count,
                          const hd_record **result);
/* A field that hd_record_split() can take apart. */
bool hd_field_has_parts(const hd_field *field);
/* What the lane of a vector is called: "x", or "s0" where it has more than four. */
const char *hd_lane_name(uint32_t lanes, uint32_t number);
/* The record as the source declares it: the whole one behind one taken apart. */
const hd_record *hd_record_declared(const hd_record *record);

/* ---- layout.c: layouts and their notation ------------------------------- */

#define HD_TILE_AOS ((uint64_t)1)
#define HD_TILE_SOA UINT64_MAX

typedef struct hd_cluster {
    uint64_t mask;                /* the set of fields, as bits */
    uint8_t order[HD_MAX_FIELDS]; /* field indices in their order in memory */
    uint32_t count;
    uint64_t tile; /* a power of two, or HD_TILE_SOA */
    bool padded;   /* "_": its elements take the next power of two of bytes, up to HD_VECTOR */
} hd_cluster;
/* Bytes of the longest load: no cluster is padded to more. */
enum { HD_VECTOR = 16 };

/* A layout of one record. Clusters stand in their order in memory. `discrete`:
 * each cluster has an allocation of its own ("/da"). */
typedef struct hd_layout {
    hd_cluster *clusters;
    uint32_t count;
    bool discrete;
} hd_layout;

/* Builds a layout in normal form from disjoint sets of fields that together are all of the record:
 * masks[c] with tiles[c]. `tiles` may be NULL: all AoS.
 *
 * Normal form: fields in record order inside a cluster, clusters by their first
 * field, a cluster of one field has tile 1 (all its tiles place it alike), and
 * in one shared allocation all fields alone, or in `soa` clusters, is written as the one
 * cluster `soa` (both put every field in a run of its own on a 256-byte boundary), a
 * layout of one cluster is not discrete, and none is padded. */
hd_layout *hd_layout_of_masks(hd_arena *arena, const uint64_t *masks, const uint64_t *tiles,
                              uint32_t count, bool discrete);
/* A set of fields in record order as a cluster. */
static inline hd_cluster hd_cluster_of_mask(uint64_t mask, uint64_t tile) {
    hd_cluster cluster = {.mask = mask, .tile = tile};
    for (uint64_t left = mask; left; left &= left - 1)
        cluster.order[cluster.count++] = (uint8_t)__builtin_ctzll(left);
    return cluster;
}

/* A record and the layout that it gets. */
typedef struct hd_record_layout {
    const hd_record *record;
    const hd_layout *layout;
} hd_record_layout;

hd_layout *hd_layout_aos(hd_arena *arena, const hd_record *record);
hd_layout *hd_layout_soa(hd_arena *arena, const hd_record *record);
/* What the source has: AoS; `da` of a record of arrays, `soa` of one in columns. */
hd_layout *hd_layout_original(hd_arena *arena, const hd_record *record);

/* Parses the notation of the design: `aos`, `soa`, `da`, `aosoa:16`,
 * `{x,y,z}{vx,vy,vz}:32`, `{x,y,z,_}`, `{x}{y}/da`. Errors are located at the column in the
 * text (file "<layout>") and name the field. */
hd_status hd_layout_parse(hd_arena *arena, const hd_diag *diag, const hd_record *record,
                          const char *text, hd_layout **layout);
/* The layout in notation; the shortest form that parses back to it. */
const char *hd_layout_print(hd_arena *arena, const hd_record *record, const hd_layout *layout);
/* The same, always with clusters written out and never as a shorthand. */
const char *hd_layout_print_long(hd_arena *arena, const hd_record *record, const hd_layout *layout);
bool hd_layout_equal(const hd_layout *a, const hd_layout *b);
/* A number for how a layout places the fields of the set `used`, each in its cluster and beside
 * the others of them. Layouts of the same number differ for whoever touches only these fields
 * in nothing but where clusters begin: they put other fields elsewhere. */
uint64_t hd_layout_places(const hd_record *record, const hd_layout *layout, uint64_t used);
/* A number for how a layout groups the fields of the set `used`. Layouts of the same number differ
 * in where other fields lie, and in the tiles of clusters whose runs all fill whole units of `unit`
 * bytes (0: none does): such fields share no unit, as if each was alone. AoS is like no other. */
uint64_t hd_layout_group(const hd_record *record, const hd_layout *layout, uint64_t used,
                         uint32_t unit);
/* The same of a layout in one allocation, as hd_layout_of_masks() takes it. */
uint64_t hd_masks_group(const hd_record *record, const uint64_t *masks, const uint64_t *tiles,
                        uint32_t count, uint64_t used, uint32_t unit);
/* True when every field stands in exactly one cluster and every tile and padding is legal;
 * otherwise reports why. */
hd_status hd_layout_check(const hd_diag *diag, const hd_record *record, const hd_layout *layout);

/* ---- map.c: the address map ----------------------------- */

/* Runs of a `soa` cluster start on this boundary, and so does every cluster
 * of a shared allocation. */
enum { HD_RUN_ALIGN = 256 };

/* Where one field lies inside its cluster. */
typedef struct hd_field_place {
    uint32_t cluster;
    uint64_t run;  /* byte offset of the field's run inside a tile */
    uint32_t size; /* bytes of one value; the step inside a run (rounded up to the
                    * field's alignment where an attribute made that greater) */
} hd_field_place;

typedef struct hd_cluster_place {
    uint64_t base;       /* byte offset of the cluster in its allocation */
    uint64_t tile;       /* elements per tile; `count` rounded for soa: one tile holds all */
    uint64_t tile_bytes; /* distance of two tiles */
    uint64_t bytes;      /* of all tiles */
    uint32_t allocation;
} hd_cluster_place;

/* A layout applied to `count` elements. */
typedef struct hd_map {
    const hd_record *record;
    const hd_layout *layout;
    uint64_t count;
    hd_field_place *fields;     /* [record->field_count] */
    hd_cluster_place *clusters; /* [layout->count] */
    uint32_t allocation_count;  /* 1, or the number of clusters when discrete */
    uint64_t *allocation_bytes; /* [allocation_count] */
} hd_map;

/* Fails with HD_EINPUT when a size overflows 63 bits or the layout is not one of
 * this record, and as hd_record_check does. */
hd_status hd_map_make(hd_arena *arena, const hd_diag *diag, const hd_record *record,
                      const hd_layout *layout, uint64_t count, hd_map **map);
/* Byte offset of field `field` of element `element` in its cluster's allocation. */
static inline uint64_t hd_map_address(const hd_map *map, uint32_t field, uint64_t element) {
    const hd_field_place *f = &map->fields[field];
    const hd_cluster_place *c = &map->clusters[f->cluster];
    return c->base + element / c->tile * c->tile_bytes + f->run + element % c->tile * f->size;
}

/* The field that byte `byte` of an allocation belongs to, or -1: padding, or beyond the map. */
int hd_map_field_at(const hd_map *map, uint32_t allocation, uint64_t byte);

/* The alignment that a tile of a cluster without "_" is padded to. */
uint32_t hd_cluster_align(const hd_record *record, const hd_cluster *cluster);
/* One tile of a cluster whose tile is not `soa`: the byte offset run[f] of every
 * field f of the cluster inside it, and its size, which is what is returned. */
uint64_t hd_cluster_tile(const hd_record *record, const hd_cluster *cluster,
                         uint64_t run[HD_MAX_FIELDS]);

/* Moves `count` elements from the C struct array `aos` into `allocations[]`
 * (sizes as in the map), and back. Padding is left as it was. */
void hd_map_scatter(const hd_map *map, const void *aos, void *const *allocations);
void hd_map_gather(const hd_map *map, void *const *allocations, void *aos);
#endif
