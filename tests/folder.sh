# Sourced by scripts: $work, a new and empty folder, which goes with all that is in it when the script
# ends.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
