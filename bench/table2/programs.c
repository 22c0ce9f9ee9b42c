#include "table2/programs.h"

const document_device document_devices[DOCUMENT_DEVICES] = {
    {"FirePro", "firepro-s9000"}, {"GeForce", "geforce-gtx480"}, {"Tesla", "tesla-k20m"}};

const program programs[PROGRAMS] = {
    {"N-body", "nbody4", {1.01, 1.06, 1.01}, "two clusters, SoA on all three"},
    {"BlackScholes", "blackscholes", {1.00, 1.43, 2.83}, "nothing"},
    {"Bitonic sorting",
     "bitonic",
     {1.47, 1.50, 1.38},
     "one cluster; a tile of 512 on FirePro and GeForce, SoA on Tesla"},
    {"LavaMD", "lavamd", {2.22, 1.89, 2.07}, "nothing"},
    {"SAMPO", "sampo", {2.19, 1.59, 1.96}, "several clusters, with tiles"},
};
