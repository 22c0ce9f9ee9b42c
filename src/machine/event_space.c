/* Which memory an event goes to. */
#include "machine/event.h"

/* Each block has its own piece of what lies behind a local variable's address. */
static const uint64_t local_bytes = (uint64_t)4096 << 24;

kir_space hd_event_space_met(const hd_event_launch *launch, const hd_event *event) {
    kir_space space = KIR_GLOBAL;
    uint32_t word = 0;
    while (!event->mask[word])
        word++;
    uint32_t lane = word * 64 + (uint32_t)__builtin_ctzll(event->mask[word]);
    uint64_t address = hd_event_address(event, lane);
    for (uint32_t i = 0; i < launch->buffer_count; i++) {
        const hd_event_buffer *b = &launch->buffers[i];
        if (address >= b->base && address - b->base < b->bytes && b->space != KIR_LOCAL)
            return b->space;
        if (address >= b->base && address - b->base < local_bytes && b->space == KIR_LOCAL)
            space = KIR_LOCAL;
    }
    return space;
}
