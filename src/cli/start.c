/* heddle, the program: the commands in one process. */
#include "cli/cli.h"

int main(int argc, char **argv) { return cli_main(NULL, argc, argv); }
