#include "cuda/cuda_record.h"

#include "cuda/cuda_virtual.h"
#include "recording/recording.h"

struct cuda_record {
    hd_recording *recording;
    hd_recording_host host;
};

static void say(void *user, const char *line) { cuda_say(user, "%s", line); }

static const void *held(void *user, uint64_t address, size_t bytes) {
    (void)user;
    (void)bytes;
    return (const void *)(uintptr_t)address; /* NOLINT: the program's memory */
}

cuda_record *cuda_record_new(cuda_process *p) {
    cuda_record *r = hd_new(p->arena, cuda_record);
    r->host = (hd_recording_host){
        .user = p, .say = say, .held = held, .extension = ".ptx", .has_addresses = true};
    r->recording = hd_recording_open(p->arena, &r->host);
    return r->recording ? r : NULL;
}

/* All memory that kernels can reach. */
static void see_all(hd_recording *r, const cuda_process *p, const cuda_launch *launch) {
    const char *title;
    void *address;
    size_t bytes;
    for (size_t i = 0; i < p->memory->live.count; i++)
        hd_recording_see(r, p->memory->live.data[i].address, p->memory->live.data[i].bytes, NULL);
    for (uint32_t v = 0; hd_ptx_kernel_variable(launch->kernel->found, v, &title, &address, &bytes);
         v++)
        hd_recording_see(r, (uintptr_t)address, bytes, NULL);
}

static void add_arg(hd_recording *r, const cuda_launch *l, uint32_t index) {
    uint32_t offset, bytes;
    bool is_pointer;
    uint64_t value = 0;
    hd_ptx_param(l->kernel->found, index, &offset, &bytes);
    const char *title = hd_ptx_param_title(l->kernel->found, index, &is_pointer);
    if (is_pointer)
        memcpy(&value, l->args[index], sizeof value);
    if (!is_pointer || !hd_recording_arg_memory(r, title, value))
        hd_recording_arg_bytes(r, title, l->args[index], bytes);
}

static void add_args(hd_recording *r, const cuda_launch *l) {
    const char *title;
    void *address;
    size_t bytes;
    for (uint32_t i = 0; i < l->kernel->facts.param_count; i++)
        add_arg(r, l, i);
    for (uint32_t v = 0; hd_ptx_kernel_variable(l->kernel->found, v, &title, &address, &bytes); v++)
        if (bytes)
            hd_recording_arg_memory(r, title, (uintptr_t)address);
}

void cuda_record_launch(cuda_record *record, cuda_process *p, const cuda_launch *launch) {
    if (!record)
        return;
    hd_recording *r = record->recording;
    const char *title = hd_ptx_kernel_title(launch->kernel->found);
    if (!hd_recording_asks(r, title, launch->kernel->name))
        return;
    if (cuda_virtual_has_aliases(p)) {
        hd_recording_leave_out(r, "memory that is mapped at several addresses");
        return;
    }
    const cuda_ptx_text *text = cuda_kernel_text(launch->kernel);
    hd_recording_begin(r, text, text->text, "");
    see_all(r, p, launch);
    if (hd_recording_before(r))
        add_args(r, launch);
}

void cuda_record_launched(cuda_record *record, const cuda_launch *launch, hd_status status) {
    if (!record)
        return;
    const hd_ptx_launch_size *size = &launch->size;
    hd_recorded_launch l = {.kernel = hd_ptx_kernel_title(launch->kernel->found),
                            .shared = size->shared,
                            .is_cuda = true,
                            .cooperative = size->cooperative};
    for (int d = 0; d < 3; d++) {
        l.grid[d] = size->grid[d];
        l.block[d] = size->block[d];
        l.cluster[d] = size->cluster[d];
    }
    if (!hd_recording_after(record->recording, &l, !status) && status)
        hd_recording_end(record->recording); /* the program may abort() */
}

void cuda_record_end(cuda_record *record) {
    if (record)
        hd_recording_end(record->recording);
}
