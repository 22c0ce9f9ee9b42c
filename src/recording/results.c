#include "recording/recording.h"

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

void hd_write_program_results(hd_arena *arena, struct json_t *results, const char *folder,
                              const char *interface) {
    static const hd_diag silent = {0};
    char *text = json_dumps(results, JSON_COMPACT);
    if (text)
        hd_write_file(&silent,
                      hd_format(arena, "%s/%ld-%s.json", folder, (long)getpid(), interface), text,
                      strlen(text));
    free(text);
    json_decref(results);
}
