#include "table2/programs.h"

const char *const document_devices[DOCUMENT_DEVICES] = {"FirePro", "GeForce", "Tesla"};

const program programs[PROGRAMS] = {
    {"N-body", "nbody4", {1.01, 1.06, 1.01}},
    {"BlackScholes", "blackscholes", {1.00, 1.43, 2.83}},
    {"Bitonic sorting", "bitonic", {1.47, 1.50, 1.38}},
    {"LavaMD", "lavamd", {2.22, 1.89, 2.07}},
    {"SAMPO", "sampo", {2.19, 1.59, 1.96}},
};
