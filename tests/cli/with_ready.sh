# HEDDLE COMMAND...: runs the command with a heddle that stands ready (ready.c) in $HEDDLE.
set -u
heddle=$(realpath "$1")
source_folder=$(realpath "$(dirname "$0")/../..")
source "$source_folder/tests/folder.sh"
source "$source_folder/tests/cli/ready.sh"
HEDDLE=$heddle "${@:2}"
