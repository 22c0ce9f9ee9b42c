/* heddle, the program: the commands in one process. */
#include "cli/cli.h"
#include "machine/vm.h"

int main(int argc, char **argv) { hd_vm_exit(cli_main(NULL, argc, argv)); }
