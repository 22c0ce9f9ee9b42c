#include <math.h>

#include "advise/measure/measure.h"
#include "cli/buffer_contents.h"

struct cli_expected {
    cli *c;
    const hd_job *job;
    void **held;                        /* [buffer_count] that each should hold now */
    uint64_t told, differing, launches; /* differences; launches that have one, and all */
    const char *largest_name;           /* of the largest difference of two numbers */
    double largest;
    bool within; /* something differs, but by no more than the job's tolerance */
};

enum { MOST_TOLD = 16 };

static uint64_t bytes_of(const hd_buffer *buffer) { return buffer->count * buffer->element_bytes; }

hd_status cli_expected_new(cli *c, const hd_job *job, cli_expected **expected) {
    bool any = false;
    for (uint32_t l = 0; l < job->launch_count; l++)
        any |= job->launches[l].after_given;
    if (!any)
        return cli_fail_at(c, job->path ? job->path : "",
                           "--check expected: no launch of this job says with 'after' what buffers "
                           "hold when it has run; 'heddle record' makes jobs that do");
    cli_expected *e = hd_new(c->arena, cli_expected);
    *e = (cli_expected){c, job, hd_new_array(c->arena, void *, job->buffer_count)};
    *expected = e;
    return hd_job_all_contents(c->arena, &c->diag, job, e->held);
}

static hd_status take(const cli_expected *e, const hd_held *held, uint32_t count) {
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < count && status == HD_OK; i++) {
        const hd_buffer *buffer = &e->job->buffers[held[i].buffer];
        uint64_t first;
        hd_held_bytes(e->job, &held[i], &first);
        uint8_t *to = (uint8_t *)e->held[held[i].buffer] + first;
        if (held[i].kind == HD_HELD_FILE)
            status = hd_job_read_held(&e->c->diag, buffer, held[i].file, &held[i].place, to);
        else
            hd_job_apply_held(e->job, &held[i], to, e->held[held[i].from]);
    }
    return status;
}

/* The largest difference of two numbers in the buffer; bytes are none. */
static void find_largest(cli_expected *e, const hd_launch *launch, uint32_t number,
                         const hd_buffer *buffer, const uint8_t *is, const uint8_t *should,
                         hd_str *out) {
    hd_arena *scratch = hd_arena_new();
    uint32_t count;
    const hd_leaf *leaves = hd_leaves_of_buffer(scratch, buffer, NULL, &count), *leaf = NULL;
    double largest = 0;
    uint64_t element = 0;
    for (uint64_t i = 0; i < buffer->count; i++)
        for (uint32_t l = 0; l < count; l++)
            for (uint32_t lane = 0; lane < leaves[l].type.lanes && !leaves[l].opaque; lane++) {
                kir_type type = leaves[l].type;
                uint64_t at = hd_buffer_byte(buffer, i, leaves[l].offset) + lane * (type.bits / 8u);
                if (type.bits == 8 || !memcmp(is + at, should + at, type.bits / 8u))
                    continue;
                double difference = fabs(hd_type_get(type, leaves[l].is_signed, is + at) -
                                         hd_type_get(type, leaves[l].is_signed, should + at));
                difference = isnan(difference) ? INFINITY : difference;
                if (difference <= largest)
                    continue;
                largest = difference;
                leaf = &leaves[l];
                element = i;
            }
    if (leaf) {
        const char *path = hd_leaf_path(scratch, buffer->record, leaf);
        const char *name = hd_format(e->c->arena, "%s[%llu]%s%s", buffer->name,
                                     (unsigned long long)element, *path ? "." : "", path);
        hd_str_printf(out, "; the largest difference is %.9g, in '%s'", largest, name);
        if (largest > e->largest) {
            e->largest = largest;
            e->largest_name = hd_format(e->c->arena, "%s after launch %u (%s)", name, number + 1,
                                        launch->kernel_name);
        }
    }
    hd_arena_free(scratch);
}

/* Within the job's tolerance; bytes between fields are not looked at. */
static bool is_near(const cli_expected *e, const hd_buffer *buffer, const uint8_t *is,
                    const uint8_t *should) {
    hd_arena *scratch = hd_arena_new();
    uint32_t count;
    const hd_leaf *leaves = hd_leaves_of_buffer(scratch, buffer, NULL, &count);
    bool near = e->job->relative > 0 || e->job->absolute > 0;
    for (uint64_t i = 0; i < buffer->count && near; i++)
        for (uint32_t l = 0; l < count && near; l++)
            for (uint32_t lane = 0; lane < leaves[l].type.lanes && near; lane++) {
                const uint32_t bytes = leaves[l].type.bits / 8u;
                const uint64_t at = hd_buffer_byte(buffer, i, leaves[l].offset) + lane * bytes;
                near = !memcmp(is + at, should + at, bytes) ||
                       (!leaves[l].opaque &&
                        hd_values_agree(e->job, buffer, &leaves[l], is + at, should + at));
            }
    hd_arena_free(scratch);
    return near;
}

/* Whether it is as it should be. */
static bool compare(cli_expected *e, const hd_launch *launch, uint32_t number, uint32_t b,
                    const uint8_t *is) {
    const hd_buffer *buffer = &e->job->buffers[b];
    const uint8_t *should = e->held[b];
    uint64_t bytes = bytes_of(buffer), first = 0, count = 0;
    hd_str largest = {.arena = e->c->arena};
    if (!memcmp(is, should, bytes))
        return true;
    if (is_near(e, buffer, is, should)) {
        e->within = true;
        return true;
    }
    for (uint64_t i = bytes; i-- > 0;)
        if (is[i] != should[i]) {
            first = i;
            count++;
        }
    find_largest(e, launch, number, buffer, is, should, &largest);
    if (e->told++ < MOST_TOLD)
        hd_fail(&e->c->diag, HD_EDIFFER, &launch->place,
                "launch %u (%s) leaves in buffer '%s' what is not expected: %llu of %llu bytes "
                "differ, first byte %llu, which is 0x%02x and should be 0x%02x%s",
                number + 1, launch->kernel_name, buffer->name, (unsigned long long)count,
                (unsigned long long)bytes, (unsigned long long)first, is[first], should[first],
                hd_str_text(&largest));
    return false;
}

hd_status cli_expected_ran(cli_expected *e, const hd_vm *vm, uint32_t number) {
    const hd_launch *launch = &e->job->launches[number];
    hd_status status = take(e, launch->before, launch->before_count);
    if (status == HD_OK)
        status = take(e, launch->after, launch->after_count);
    if (status == HD_OK && number + 1 == e->job->launch_count)
        status = take(e, e->job->last, e->job->last_count);
    if (status != HD_OK)
        return status;
    for (uint32_t b = 0; !launch->after_given && b < e->job->buffer_count; b++)
        memcpy(e->held[b], hd_vm_contents(vm, b), bytes_of(&e->job->buffers[b]));
    bool is_equal = true;
    for (uint32_t b = 0; b < e->job->buffer_count; b++) {
        is_equal = compare(e, launch, number, b, hd_vm_contents(vm, b)) && is_equal;
        /* What the next launch has not changed is no difference of its own. */
        memcpy(e->held[b], hd_vm_contents(vm, b), bytes_of(&e->job->buffers[b]));
    }
    e->launches++;
    e->differing += !is_equal;
    return HD_OK;
}

hd_status cli_expected_end(const cli_expected *e, bool *within) {
    *within = e->within;
    if (e->told <= 1)
        return e->told ? HD_EDIFFER : HD_OK;
    return hd_fail(&e->c->diag, HD_EDIFFER, &(hd_place){.file = e->job->path},
                   "%llu of %llu launches leave what is not expected%s%s",
                   (unsigned long long)e->differing, (unsigned long long)e->launches,
                   e->largest_name
                       ? hd_format(e->c->arena, "; the largest difference is %.9g, in ", e->largest)
                       : "",
                   e->largest_name ? e->largest_name : "");
}
