#!/bin/bash
# A Python program with PyOpenCL.
source "$(dirname "$0")/programs.sh"
python=/usr/bin/python3 # Debian's, whose PyOpenCL it is
"$python" -c 'import pyopencl, numpy' 2>/dev/null ||
    { echo 'skipped: there is no PyOpenCL (python3-pyopencl)'; exit 0; }
export HOME=$work PYTHONWARNINGS=ignore XDG_CACHE_HOME=$work
command=("$python" -u "$source_folder/tests/opencl/arrays.py")
by_itself
ran platform
recorded 11
applied some body=soa
finish
