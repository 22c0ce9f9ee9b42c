/* write_page DATA.json PAGE.html: the report page of made-up data, for test_page.sh. */
#include <stdio.h>

#include "cli/report/page.h"
#include "cli/report/report.h"

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: write_page DATA.json PAGE.html\n");
        return 2;
    }
    json_error_t error;
    json_t *data = json_load_file(argv[1], 0, &error);
    if (!data) {
        fprintf(stderr, "%s:%d: %s\n", argv[1], error.line, error.text);
        return 2;
    }
    hd_printer printer = {.out = stderr};
    hd_status status = hd_page_write(&(hd_diag){hd_print_message, &printer}, argv[2], data);
    json_decref(data);
    return status == HD_OK ? 0 : 2;
}
