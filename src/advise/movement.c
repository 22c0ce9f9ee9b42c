/* What accesses to a record move, and what comes together (movement.h). */
#include "advise/movement.h"

/* Whether all lanes of a warp are known to point at one address. */
static bool is_uniform(const hd_access *access) {
    return access->affine && !hd_affine_has(access->address, HD_SYM_LOCAL) &&
           !hd_affine_has(access->address, HD_SYM_GLOBAL);
}

/* ---- fields that come together --------------------------------------------------------- */

bool hd_lines_go_together(const hd_cost_line *a, const hd_cost_line *b) {
    return a->info->kernel == b->info->kernel && a->access->loop == b->access->loop &&
           a->executions > 0 && b->executions > 0 &&
           hd_affine_equal(a->access->index, b->access->index);
}

static bool is_of(const hd_cost_line *line, const hd_record *record, uint64_t mask) {
    const hd_access *access = line->access;
    return access->record == record && access->field >= 0 && mask >> access->field & 1;
}

/* The fields of `mask` that go together with `field`, or with one that does. */
static uint64_t company_of(const hd_record *record, uint64_t mask, uint32_t field,
                           const hd_cost_line *lines, size_t count) {
    uint64_t found = (uint64_t)1 << field, before;
    do {
        before = found;
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < count && is_of(&lines[i], record, found); k++)
                if (is_of(&lines[k], record, mask & ~found) &&
                    hd_lines_go_together(&lines[i], &lines[k]))
                    found |= (uint64_t)1 << lines[k].access->field;
    } while (found != before);
    return found;
}

static hd_company describe(const hd_record *record, const hd_cluster *cluster, uint64_t fields,
                           const hd_cost_line *lines, size_t count) {
    hd_company c = {.fields = fields, .tile = cluster->tile, .first = UINT32_MAX};
    uint64_t run[HD_MAX_FIELDS], begin = UINT64_MAX, end = 0;
    for (size_t i = 0; i < count; i++)
        if (is_of(&lines[i], record, fields)) {
            uint32_t line = lines[i].access->line;
            c.first = line < c.first ? line : c.first;
            c.last = line > c.last ? line : c.last;
        }
    hd_cluster_tile(record, cluster, run);
    for (; fields && cluster->tile == HD_TILE_AOS; fields &= fields - 1) {
        uint32_t f = (uint32_t)__builtin_ctzll(fields);
        begin = run[f] < begin ? run[f] : begin;
        end = run[f] + record->fields[f].size > end ? run[f] + record->fields[f].size : end;
        c.bytes = end - begin;
    }
    return c;
}

static void find_companies(hd_arena *arena, hd_cost_model *model, const hd_cost_line *lines,
                           size_t count, hd_movement *m) {
    const hd_record *record = hd_cost_record(model);
    m->companies = hd_new_array(arena, hd_company, record->field_count);
    for (uint32_t c = 0; c < m->layout->count; c++) {
        const hd_cluster *cluster = &m->layout->clusters[c];
        uint64_t left =
            cluster->tile == HD_TILE_SOA ? 0 : cluster->mask & hd_cost_used_fields(model);
        while (left) {
            uint64_t together =
                company_of(record, cluster->mask, (uint32_t)__builtin_ctzll(left), lines, count);
            left &= ~together;
            if (together & (together - 1))
                m->companies[m->company_count++] =
                    describe(record, cluster, together, lines, count);
        }
    }
}

/* ---- bytes ------------------------------------------------------------------------------- */

hd_movement hd_movement_of(hd_arena *arena, hd_cost_model *model, const hd_layout *layout,
                           const hd_cost_line *lines, size_t count) {
    const hd_record *record = hd_cost_record(model);
    hd_movement m = {.layout = layout};
    for (size_t i = 0; i < count; i++) {
        const hd_cost_line *line = &lines[i];
        const hd_access *access = line->access;
        if (access->record != record)
            continue;
        double transactions = line->executions * line->transactions;
        m.requests += transactions > 0 ? line->executions : 0; /* or of another field's */
        m.transactions += transactions;
        m.moved += transactions * hd_device_segment_for(hd_cost_device(model), access->width);
        m.used += line->executions * access->width * (is_uniform(access) ? 1 : line->lanes);
        m.l1 += line->l1 * transactions;
        m.l2 += line->l2 * transactions;
    }
    m.l1 /= m.transactions > 0 ? m.transactions : 1;
    m.l2 /= m.transactions > 0 ? m.transactions : 1;
    find_companies(arena, model, lines, count, &m);
    return m;
}
