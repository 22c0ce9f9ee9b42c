#include "driver/library.h"

#include <dlfcn.h>

const char *driver_library_open(hd_arena *arena, const driver_library *library, void *functions) {
    bool is_linked = library->may_be_linked && dlsym(RTLD_DEFAULT, library->symbols[0].name);
    void *handle = is_linked ? RTLD_DEFAULT : NULL;
    for (const char *const *place = library->places; *place && !handle && !is_linked; place++)
        handle = dlopen(*place, RTLD_NOW | RTLD_LOCAL);
    if (!handle && !is_linked)
        return hd_format(arena, "there is no %s%s", library->file, library->install);
    for (size_t s = 0; s < library->symbol_count; s++) {
        const driver_symbol *symbol = &library->symbols[s];
        void *address = dlsym(handle, symbol->name);
        if (!address && !symbol->is_optional)
            return hd_format(arena, "%s has no %s%s", library->file, symbol->name, library->update);
        memcpy((char *)functions + symbol->offset, &address, sizeof address);
    }
    return NULL;
}
