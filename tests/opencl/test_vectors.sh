#!/bin/bash
# A C++ program with CL/opencl.hpp.
source "$(dirname "$0")/programs.sh"
[ -f /usr/include/CL/opencl.hpp ] || { echo 'skipped: there is no CL/opencl.hpp (opencl-clhpp-headers)'; exit 0; }
prepare vectors.cpp
ran platform
recorded 8
applied 8 atom=soa pair=soa
applied 8 'atom={charge,place}{kind,steps}:32'
finish
