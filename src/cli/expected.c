#include "cli/buffer_contents.h"

struct cli_expected {
    cli *c;
    const hd_job *job;
    void **held; /* [buffer_count] that each should hold now */
};

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

static hd_status compare(const cli_expected *e, const hd_launch *launch, uint32_t number,
                         uint32_t b, const uint8_t *is) {
    const hd_buffer *buffer = &e->job->buffers[b];
    const uint8_t *should = e->held[b];
    uint64_t bytes = bytes_of(buffer), first = 0, count = 0;
    if (!memcmp(is, should, bytes))
        return HD_OK;
    for (uint64_t i = bytes; i-- > 0;)
        if (is[i] != should[i]) {
            first = i;
            count++;
        }
    return hd_fail(&e->c->diag, HD_EDIFFER, &launch->place,
                   "launch %u (%s) leaves in buffer '%s' what is not expected: %llu of %llu bytes "
                   "differ, first byte %llu, which is 0x%02x and should be 0x%02x",
                   number + 1, launch->kernel_name, buffer->name, (unsigned long long)count,
                   (unsigned long long)bytes, (unsigned long long)first, is[first], should[first]);
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
    for (uint32_t b = 0; b < e->job->buffer_count; b++)
        if (compare(e, launch, number, b, hd_vm_contents(vm, b)))
            status = HD_EDIFFER;
    return status;
}
