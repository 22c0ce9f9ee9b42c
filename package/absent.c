/*
 * Functions that LLVM is linked with and Heddle never reaches, of libraries that would be a third
 * of the package: Z3 (clang's static analyzer), libxml2 (manifests of Windows) and libedit (a
 * prompt for commands). package/stage.sh writes their names to absent.inc.
 */
#include <stdio.h>
#include <stdlib.h>

static void end(const char *name) {
    fprintf(stderr,
            "heddle: %s is not in this package; leave out the option that needs it, or "
            "build Heddle yourself\n",
            name);
    exit(2);
}

#define FUNCTION(name)              \
    void name(void);                \
    void name(void) { end(#name); }
#define DATA(name) void *name;
#include "absent.inc"
