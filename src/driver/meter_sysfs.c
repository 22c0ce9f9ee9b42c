/* Files of sysfs, each with one value, and folders of them. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/scan.h"
#include "driver/meter.h"

const char *energy_sysfs(const hd_meter_request *request) {
    return request->sysfs ? request->sysfs : "/sys";
}

bool energy_is_there(const char *path) { return access(path, F_OK) == 0; }

enum { MOST_TEXT = 256 };

/* False, and errno, where it cannot be read. */
static bool read_into(const char *path, char text[MOST_TEXT]) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t length = file < 0 ? -1 : read(file, text, MOST_TEXT - 1);
    int error = errno;
    if (file >= 0)
        close(file);
    errno = error;
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    text[length < 0 ? 0 : length] = '\0';
    return length >= 0;
}

char *energy_read_text(hd_arena *arena, const char *path) {
    char text[MOST_TEXT];
    return read_into(path, text) ? hd_strdup(arena, text) : NULL;
}

const char *energy_read_number(hd_arena *arena, const char *path, const char *mend,
                               double *number) {
    char text[MOST_TEXT];
    bool is_read = read_into(path, text);
    if (!is_read && (errno == EACCES || errno == EPERM))
        return hd_format(arena, "%s may not be read: %s", path, mend);
    if (!is_read && (errno == ENOENT || errno == ENODEV || errno == ENXIO))
        return hd_format(arena, "%s is gone", path);
    if (!is_read)
        return hd_format(arena, "%s cannot be read: %s", path, strerror(errno));
    if (!hd_text_real(text, number) || *number < 0)
        return hd_format(arena, "%s holds '%.40s', which is no energy or power", path, text);
    return NULL;
}

/* "hwmon10" comes after "hwmon9". */
static int by_version(const void *a, const void *b) {
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

uint32_t energy_list_folder(hd_arena *arena, const char *folder, const char *start,
                            const char ***names) {
    hd_vec(const char *) all = {0};
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open));)
        if (entry->d_name[0] != '.' && !strncmp(entry->d_name, start, strlen(start)))
            hd_push(arena, &all, hd_strdup(arena, entry->d_name));
    if (open)
        closedir(open);
    if (all.count)
        qsort(all.data, all.count, sizeof *all.data, by_version);
    *names = all.data;
    return (uint32_t)all.count;
}
