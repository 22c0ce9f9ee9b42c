/* The measurements, with where they stand. */
#include "time/sets.h"

#include <stddef.h>

static const form form_0 = {"AoS", "bench/static-cost/kmeans.yaml"};
static const form form_1 = {"SoAoS", "bench/static-cost/kmeans.yaml",
                            .layout = "{feature,clusters}{membership}"};
static const form form_2 = {"SoA", "bench/static-cost/kmeans.yaml", .layout = "soa"};
static const form form_3 = {"AoS", "bench/static-cost/nbody-run.yaml"};
static const form form_4 = {"SoAoS 2", "bench/static-cost/nbody-run.yaml",
                            .layout = "{x,vx}{y,vy}{z,vz}"};
static const form form_5 = {"SoA", "bench/static-cost/nbody-run.yaml", .layout = "soa"};
static const form form_6 = {"SoAoS 1", "bench/static-cost/nbody-run.yaml",
                            .layout = "{x,y,z}{vx,vy,vz}"};
static const form form_7 = {"AoS", "bench/static-cost/lavamd-run.yaml"};
static const form form_8 = {"SoAoS 2", "bench/static-cost/lavamd-run.yaml",
                            .layout = "{rv_v,fv_v}{rv_x,fv_x}{rv_y,fv_y}{rv_z,fv_z}"};
static const form form_9 = {"SoA", "bench/static-cost/lavamd-run.yaml", .layout = "soa"};
static const form form_10 = {"SoAoS 1", "bench/static-cost/lavamd-run.yaml",
                             .layout = "{rv_v,rv_x,rv_y,rv_z}{fv_v,fv_x,fv_y,fv_z}"};
static const form form_11 = {"AoS", "bench/table2/nbody4.yaml"};
static const form form_12 = {"SoA", "bench/table2/nbody4.yaml", .layout = "soa"};
static const form form_13 = {"AoS", "bench/table2/blackscholes.yaml"};
static const form form_14 = {"aosoa:32", "bench/table2/blackscholes.yaml", .layout = "aosoa:32"};
static const form form_15 = {"aosoa:512", "bench/table2/blackscholes.yaml", .layout = "aosoa:512"};
static const form form_16 = {"aosoa:8192", "bench/table2/blackscholes.yaml",
                             .layout = "aosoa:8192"};
static const form form_17 = {"AoS", "bench/table2/bitonic.yaml"};
static const form form_18 = {"aosoa:512", "bench/table2/bitonic.yaml", .layout = "aosoa:512"};
static const form form_19 = {"SoA", "bench/table2/bitonic.yaml", .layout = "soa"};
static const form form_20 = {"AoS", "bench/table2/lavamd.yaml"};
static const form form_21 = {"SoA", "bench/table2/lavamd.yaml", .layout = "soa"};
static const form form_22 = {"aosoa:8192", "bench/table2/lavamd.yaml", .layout = "aosoa:8192"};
static const form form_23 = {"AoS", "bench/table2/sampo.yaml"};
static const form form_24 = {"SoA", "bench/table2/sampo.yaml", .layout = "soa"};
static const form form_25 = {"rows", "bench/remap-cases/kmeans.yaml", .options = "-DFEATURES=8"};
static const form form_26 = {"columns", "bench/remap-cases/kmeans.yaml",
                             .options = "-DFEATURES=8 -DREMAPPED -Iremap/include"};
static const form form_27 = {"rows", "remap/examples/nw/plain.yaml"};
static const form form_28 = {"diagonals", "remap/examples/nw/remapped.yaml"};
static const form form_29 = {"gathered", "bench/remap-cases/spmv.yaml"};
static const form form_30 = {"in order", "remap/examples/spmv/remapped.yaml"};
static const form form_31 = {"AoS", "bench/remap-cases/nn-fields.yaml",
                             .options = "-DFIELDS=8 -DUSED=8"};
static const form form_32 = {"SoA", "bench/remap-cases/nn-fields.yaml",
                             .options = "-DFIELDS=8 -DUSED=8 -DREMAPPED"};
static const form form_33 = {"AoS of floats", "bench/time/quad.yaml"};
static const form form_34 = {"float4", "bench/time/quad.yaml", .options = "-DALIGNED"};
static const form form_35 = {"SoA", "bench/time/quad.yaml", .layout = "soa"};
static const form form_36 = {"AoS", "bench/time/trees.yaml", .options = ""};
static const form form_37 = {"SoA", "bench/time/trees.yaml", .options = "-DSOA"};
static const form form_38 = {"AoS", "bench/time/pairs.yaml"};
static const form form_39 = {"SoA", "bench/time/pairs.yaml", .layout = "soa"};
static const form form_40 = {"AoS of 2", "bench/time/every.yaml", .options = "-DSTRIDE=2"};
static const form form_41 = {"SoA", "bench/time/every.yaml", .options = "-DSTRIDE=1",
                             .share = 1.0 / 2};
static const form form_42 = {"AoS of 4", "bench/time/every.yaml", .options = "-DSTRIDE=4"};
static const form form_43 = {"SoA", "bench/time/every.yaml", .options = "-DSTRIDE=1",
                             .share = 1.0 / 4};
static const form form_44 = {"AoS of 8", "bench/time/every.yaml", .options = "-DSTRIDE=8"};
static const form form_45 = {"SoA", "bench/time/every.yaml", .options = "-DSTRIDE=1",
                             .share = 1.0 / 8};
static const form form_46 = {"AoS of 16", "bench/time/every.yaml", .options = "-DSTRIDE=16"};
static const form form_47 = {"SoA", "bench/time/every.yaml", .options = "-DSTRIDE=1",
                             .share = 1.0 / 16};
static const form form_48 = {"AoS of 32", "bench/time/every.yaml", .options = "-DSTRIDE=32"};
static const form form_49 = {"SoA", "bench/time/every.yaml", .options = "-DSTRIDE=1",
                             .share = 1.0 / 32};
static const form form_50 = {"AoS of 64", "bench/time/every.yaml", .options = "-DSTRIDE=64"};
static const form form_51 = {"SoA", "bench/time/every.yaml", .options = "-DSTRIDE=1",
                             .share = 1.0 / 64};
static const form form_52 = {"AoS of 128", "bench/time/every.yaml", .options = "-DSTRIDE=128"};
static const form form_53 = {"SoA", "bench/time/every.yaml", .options = "-DSTRIDE=1",
                             .share = 1.0 / 128};
static const form form_54 = {"LayoutRight", "bench/time/properties.yaml", .options = ""};
static const form form_55 = {"LayoutLeft", "bench/time/properties.yaml", .options = "-DLEFT"};
static const form form_56 = {"AoS of 5 floats", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=5 -DREAL=float", .scalar = "float",
                             .threads = 3355443};
static const form form_57 = {"SoA", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=5 -DREAL=float -DSOA", .scalar = "float",
                             .threads = 3355443};
static const form form_58 = {"AoS of 10 floats", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=10 -DREAL=float", .scalar = "float",
                             .threads = 1677721};
static const form form_59 = {"SoA", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=10 -DREAL=float -DSOA", .scalar = "float",
                             .threads = 1677721};
static const form form_60 = {"AoS of 20 floats", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=20 -DREAL=float", .scalar = "float",
                             .threads = 838860};
static const form form_61 = {"SoA", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=20 -DREAL=float -DSOA", .scalar = "float",
                             .threads = 838860};
static const form form_62 = {"AoS of 50 floats", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=50 -DREAL=float", .scalar = "float",
                             .threads = 335544};
static const form form_63 = {"SoA", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=50 -DREAL=float -DSOA", .scalar = "float",
                             .threads = 335544};
static const form form_64 = {"AoS of 100 floats", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=100 -DREAL=float", .scalar = "float",
                             .threads = 167772};
static const form form_65 = {"SoA", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=100 -DREAL=float -DSOA", .scalar = "float",
                             .threads = 167772};
static const form form_66 = {"AoS of 5 doubles", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=5 -DREAL=double", .scalar = "double",
                             .threads = 1677721};
static const form form_67 = {"SoA", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=5 -DREAL=double -DSOA", .scalar = "double",
                             .threads = 1677721};
static const form form_68 = {"AoS of 10 doubles", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=10 -DREAL=double", .scalar = "double",
                             .threads = 838860};
static const form form_69 = {"SoA", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=10 -DREAL=double -DSOA", .scalar = "double",
                             .threads = 838860};
static const form form_70 = {"AoS of 20 doubles", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=20 -DREAL=double", .scalar = "double",
                             .threads = 419430};
static const form form_71 = {"SoA", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=20 -DREAL=double -DSOA", .scalar = "double",
                             .threads = 419430};
static const form form_72 = {"AoS of 50 doubles", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=50 -DREAL=double", .scalar = "double",
                             .threads = 167772};
static const form form_73 = {"SoA", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=50 -DREAL=double -DSOA", .scalar = "double",
                             .threads = 167772};
static const form form_74 = {"AoS of 100 doubles", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=100 -DREAL=double", .scalar = "double",
                             .threads = 83886};
static const form form_75 = {"SoA", "bench/time/squares.yaml",
                             .options = "-DCOMPONENTS=100 -DREAL=double -DSOA", .scalar = "double",
                             .threads = 83886};
static const form form_76 = {"rows", "bench/time/stencil27.yaml", .options = ""};
static const form form_77 = {"entries apart", "bench/time/stencil27.yaml", .options = "-DSOA"};
static const form form_78 = {"AoS", "bench/time/points.yaml", .options = ""};
static const form form_79 = {"SoA", "bench/time/points.yaml", .options = "-DSOA"};
static const form form_80 = {"AoS of 2", "bench/time/conjugate.yaml", .options = "-DPARTS=1",
                             .records = 8388608};
static const form form_81 = {"SoA", "bench/time/conjugate.yaml", .options = "-DPARTS=1",
                             .layout = "soa", .records = 8388608};
static const form form_82 = {"AoSoA-2", "bench/time/conjugate.yaml", .options = "-DPARTS=1",
                             .layout = "aosoa:2", .records = 8388608};
static const form form_83 = {"AoSoA-4", "bench/time/conjugate.yaml", .options = "-DPARTS=1",
                             .layout = "aosoa:4", .records = 8388608};
static const form form_84 = {"AoSoA-8", "bench/time/conjugate.yaml", .options = "-DPARTS=1",
                             .layout = "aosoa:8", .records = 8388608};
static const form form_85 = {"AoSoA-32", "bench/time/conjugate.yaml", .options = "-DPARTS=1",
                             .layout = "aosoa:32", .records = 8388608};
static const form form_86 = {"AoS of 6", "bench/time/conjugate.yaml", .options = "-DPARTS=3",
                             .records = 2796160};
static const form form_87 = {"SoA", "bench/time/conjugate.yaml", .options = "-DPARTS=3",
                             .layout = "soa", .records = 2796160};
static const form form_88 = {"AoSoA-2", "bench/time/conjugate.yaml", .options = "-DPARTS=3",
                             .layout = "aosoa:2", .records = 2796160};
static const form form_89 = {"AoSoA-4", "bench/time/conjugate.yaml", .options = "-DPARTS=3",
                             .layout = "aosoa:4", .records = 2796160};
static const form form_90 = {"AoSoA-8", "bench/time/conjugate.yaml", .options = "-DPARTS=3",
                             .layout = "aosoa:8", .records = 2796160};
static const form form_91 = {"AoSoA-16", "bench/time/conjugate.yaml", .options = "-DPARTS=3",
                             .layout = "aosoa:16", .records = 2796160};
static const form form_92 = {"AoSoA-32", "bench/time/conjugate.yaml", .options = "-DPARTS=3",
                             .layout = "aosoa:32", .records = 2796160};
static const form form_93 = {"AoS of 12", "bench/time/conjugate.yaml", .options = "-DPARTS=6",
                             .records = 1398080};
static const form form_94 = {"SoA", "bench/time/conjugate.yaml", .options = "-DPARTS=6",
                             .layout = "soa", .records = 1398080};
static const form form_95 = {"AoSoA-2", "bench/time/conjugate.yaml", .options = "-DPARTS=6",
                             .layout = "aosoa:2", .records = 1398080};
static const form form_96 = {"AoSoA-4", "bench/time/conjugate.yaml", .options = "-DPARTS=6",
                             .layout = "aosoa:4", .records = 1398080};
static const form form_97 = {"AoS of 42", "bench/time/conjugate.yaml", .options = "-DPARTS=21",
                             .records = 399424};
static const form form_98 = {"SoA", "bench/time/conjugate.yaml", .options = "-DPARTS=21",
                             .layout = "soa", .records = 399424};
static const form form_99 = {"AoSoA-2", "bench/time/conjugate.yaml", .options = "-DPARTS=21",
                             .layout = "aosoa:2", .records = 399424};
static const form form_100 = {"AoSoA-4", "bench/time/conjugate.yaml", .options = "-DPARTS=21",
                              .layout = "aosoa:4", .records = 399424};
static const form form_101 = {"AoSoA-8", "bench/time/conjugate.yaml", .options = "-DPARTS=21",
                              .layout = "aosoa:8", .records = 399424};
static const form form_102 = {"AoSoA-16", "bench/time/conjugate.yaml", .options = "-DPARTS=21",
                              .layout = "aosoa:16", .records = 399424};
static const form form_103 = {"AoSoA-32", "bench/time/conjugate.yaml", .options = "-DPARTS=21",
                              .layout = "aosoa:32", .records = 399424};
static const form form_104 = {"AoS of 2, copied", "bench/time/conjugate.yaml",
                              .options = "-DPARTS=1 -DCOPY", .records = 8388608};
static const form form_105 = {"SoA", "bench/time/conjugate.yaml", .options = "-DPARTS=1 -DCOPY",
                              .layout = "soa", .records = 8388608};
static const form form_106 = {"AoSoA-4", "bench/time/conjugate.yaml", .options = "-DPARTS=1 -DCOPY",
                              .layout = "aosoa:4", .records = 8388608};
static const form form_107 = {"AoS of 6, copied", "bench/time/conjugate.yaml",
                              .options = "-DPARTS=3 -DCOPY", .records = 2796160};
static const form form_108 = {"SoA", "bench/time/conjugate.yaml", .options = "-DPARTS=3 -DCOPY",
                              .layout = "soa", .records = 2796160};
static const form form_109 = {"AoSoA-2", "bench/time/conjugate.yaml", .options = "-DPARTS=3 -DCOPY",
                              .layout = "aosoa:2", .records = 2796160};
static const form form_110 = {"AoSoA-4", "bench/time/conjugate.yaml", .options = "-DPARTS=3 -DCOPY",
                              .layout = "aosoa:4", .records = 2796160};
static const form form_111 = {"AoSoA-8", "bench/time/conjugate.yaml", .options = "-DPARTS=3 -DCOPY",
                              .layout = "aosoa:8", .records = 2796160};
static const form form_112 = {"AoS of 42, copied", "bench/time/conjugate.yaml",
                              .options = "-DPARTS=21 -DCOPY", .records = 399424};
static const form form_113 = {"SoA", "bench/time/conjugate.yaml", .options = "-DPARTS=21 -DCOPY",
                              .layout = "soa", .records = 399424};
static const form form_114 = {"AoSoA-2", "bench/time/conjugate.yaml",
                              .options = "-DPARTS=21 -DCOPY", .layout = "aosoa:2",
                              .records = 399424};
static const form form_115 = {"AoSoA-4", "bench/time/conjugate.yaml",
                              .options = "-DPARTS=21 -DCOPY", .layout = "aosoa:4",
                              .records = 399424};
static const form form_116 = {"AoSoA-8", "bench/time/conjugate.yaml",
                              .options = "-DPARTS=21 -DCOPY", .layout = "aosoa:8",
                              .records = 399424};
static const form form_117 = {"AoSoA-16", "bench/time/conjugate.yaml",
                              .options = "-DPARTS=21 -DCOPY", .layout = "aosoa:16",
                              .records = 399424};
static const form form_118 = {"AoSoA-8", "bench/time/conjugate.yaml", .options = "-DPARTS=6",
                              .layout = "aosoa:8", .records = 1398080};
static const form form_119 = {"columns, 16 x 16", "bench/time/matrices.yaml",
                              .options = "-DCOLUMNS", .block = {16, 16}};
static const form form_120 = {"rows", "bench/time/matrices.yaml", .options = "", .block = {16, 16}};
static const form form_121 = {"columns, 32 x 4", "bench/time/matrices.yaml", .options = "-DCOLUMNS",
                              .block = {32, 4}};
static const form form_122 = {"rows", "bench/time/matrices.yaml", .options = "", .block = {32, 4}};
static const form form_123 = {"columns, 32 x 8", "bench/time/matrices.yaml", .options = "-DCOLUMNS",
                              .block = {32, 8}};
static const form form_124 = {"rows", "bench/time/matrices.yaml", .options = "", .block = {32, 8}};
static const form form_125 = {"columns, 32 x 32", "bench/time/matrices.yaml",
                              .options = "-DCOLUMNS", .block = {32, 32}};
static const form form_126 = {"rows", "bench/time/matrices.yaml", .options = "", .block = {32, 32}};
static const form form_127 = {"columns, 64 x 1", "bench/time/matrices.yaml", .options = "-DCOLUMNS",
                              .block = {64, 1}};
static const form form_128 = {"rows", "bench/time/matrices.yaml", .options = "", .block = {64, 1}};
static const form form_129 = {"columns, 64 x 4", "bench/time/matrices.yaml", .options = "-DCOLUMNS",
                              .block = {64, 4}};
static const form form_130 = {"rows", "bench/time/matrices.yaml", .options = "", .block = {64, 4}};
static const form form_131 = {"columns, 128 x 8", "bench/time/matrices.yaml",
                              .options = "-DCOLUMNS", .block = {128, 8}};
static const form form_132 = {"rows", "bench/time/matrices.yaml", .options = "", .block = {128, 8}};
static const form form_133 = {"columns, 256 x 4", "bench/time/matrices.yaml",
                              .options = "-DCOLUMNS", .block = {256, 4}};
static const form form_134 = {"rows", "bench/time/matrices.yaml", .options = "", .block = {256, 4}};
static const form form_135 = {"AoS, scattered", "bench/time/scatter.yaml"};
static const form form_136 = {"SoA", "bench/time/scatter.yaml", .layout = "soa"};

static const measurement rows_0[] = {{"tesla-m2050", &form_0, &form_1, 1.208},
                                     {"tesla-m2050", &form_0, &form_2, 1.531},
                                     {"tesla-m2050", &form_3, &form_4, 0.917},
                                     {"tesla-m2050", &form_3, &form_5, 1.088},
                                     {"tesla-m2050", &form_3, &form_6, 1.089},
                                     {"tesla-m2050", &form_7, &form_8, 0.589, true},
                                     {"tesla-m2050", &form_7, &form_9, 0.706, true},
                                     {"tesla-m2050", &form_7, &form_10, 1.014, true},
                                     {"tesla-k20c", &form_0, &form_1, 1.416},
                                     {"tesla-k20c", &form_0, &form_2, 1.57},
                                     {"tesla-k20c", &form_3, &form_4, 0.973},
                                     {"tesla-k20c", &form_3, &form_5, 1.018},
                                     {"tesla-k20c", &form_3, &form_6, 1.022},
                                     {"tesla-k20c", &form_7, &form_8, 0.443, true},
                                     {"tesla-k20c", &form_7, &form_9, 0.714, true},
                                     {"tesla-k20c", &form_7, &form_10, 1.147, true},
                                     {0}};

static const measurement rows_1[] = {{"firepro-s9000", &form_11, &form_12, 1.01},
                                     {"geforce-gtx480", &form_11, &form_12, 1.06},
                                     {"tesla-k20m", &form_11, &form_12, 1.01},
                                     {"firepro-s9000", &form_13, &form_14, 1},
                                     {"geforce-gtx480", &form_13, &form_15, 1.43},
                                     {"tesla-k20m", &form_13, &form_16, 2.83},
                                     {"firepro-s9000", &form_17, &form_18, 1.47},
                                     {"geforce-gtx480", &form_17, &form_18, 1.5},
                                     {"tesla-k20m", &form_17, &form_19, 1.38},
                                     {"firepro-s9000", &form_20, &form_21, 2.22, true},
                                     {"geforce-gtx480", &form_20, &form_21, 1.89, true},
                                     {"tesla-k20m", &form_20, &form_22, 2.07, true},
                                     {"firepro-s9000", &form_23, &form_24, 2.19, true},
                                     {"geforce-gtx480", &form_23, &form_24, 1.59, true},
                                     {"tesla-k20m", &form_23, &form_24, 1.96, true},
                                     {0}};

static const measurement rows_2[] = {{"geforce-gtx480", &form_25, &form_26, 3.11, true},
                                     {"geforce-gtx480", &form_27, &form_28, 1.422},
                                     {"geforce-gtx480", &form_29, &form_30, 4.1},
                                     {"geforce-gtx480", &form_31, &form_32, 4.4, true},
                                     {0}};

static const measurement rows_3[] = {{"tesla-k20x", &form_33, &form_34, 1.432},
                                     {"tesla-k20x", &form_33, &form_35, 1.35},
                                     {"tesla-k20x", &form_34, &form_35, 0.943},
                                     {"tesla-k80", &form_33, &form_34, 1.421},
                                     {"tesla-k80", &form_33, &form_35, 1.381},
                                     {"tesla-k80", &form_34, &form_35, 0.972},
                                     {0}};

static const measurement rows_4[] = {
    {"v100", &form_36, &form_37, 4.203}, {"mi100", &form_36, &form_37, 1.047}, {0}};

static const measurement rows_5[] = {
    {"rtx-4090", &form_38, &form_39, 0.986}, {"v100", &form_38, &form_39, 1.063}, {0}};

static const measurement rows_6[] = {
    {"t4", &form_40, &form_41, 1.58},  {"t4", &form_42, &form_43, 2.99},
    {"t4", &form_44, &form_45, 6.09},  {"t4", &form_46, &form_47, 12.26},
    {"t4", &form_48, &form_49, 13.55}, {"t4", &form_50, &form_51, 15.15},
    {"t4", &form_52, &form_53, 18.39}, {0}};

static const measurement rows_7[] = {{"a100", &form_54, &form_55, 1.591}, {0}};

static const measurement rows_8[] = {{"v100", &form_56, &form_57, 1.484},
                                     {"v100", &form_58, &form_59, 2.658},
                                     {"v100", &form_60, &form_61, 15.62},
                                     {"v100", &form_62, &form_63, 27.42},
                                     {"v100", &form_64, &form_65, 33.31},
                                     {"v100", &form_66, &form_67, 3.766},
                                     {"v100", &form_68, &form_69, 9.381},
                                     {"v100", &form_70, &form_71, 10.6},
                                     {"v100", &form_72, &form_73, 20.42},
                                     {"v100", &form_74, &form_75, 22.52},
                                     {0}};

static const measurement rows_9[] = {{"a100", &form_76, &form_77, 1.461}, {0}};

static const measurement rows_10[] = {{"t4", &form_78, &form_79, 2.393}, {0}};

static const measurement rows_11[] = {
    {"gh200", &form_80, &form_81, 2.739},    {"gh200", &form_80, &form_82, 1},
    {"gh200", &form_80, &form_83, 1.786},    {"gh200", &form_80, &form_84, 2.408},
    {"gh200", &form_80, &form_85, 2.655},    {"gh200", &form_86, &form_87, 2.274},
    {"gh200", &form_86, &form_88, 1.135},    {"gh200", &form_86, &form_89, 1.336},
    {"gh200", &form_86, &form_90, 1.786},    {"gh200", &form_86, &form_91, 2.224},
    {"gh200", &form_86, &form_92, 2.287},    {"gh200", &form_93, &form_94, 3.117},
    {"gh200", &form_93, &form_95, 0.902},    {"gh200", &form_93, &form_96, 1.81},
    {"gh200", &form_97, &form_98, 6.228},    {"gh200", &form_97, &form_99, 1.72},
    {"gh200", &form_97, &form_100, 3.12},    {"gh200", &form_97, &form_101, 4.299},
    {"gh200", &form_97, &form_102, 5.947},   {"gh200", &form_97, &form_103, 6.274},
    {"gh200", &form_104, &form_105, 0.999},  {"gh200", &form_104, &form_106, 1},
    {"gh200", &form_107, &form_108, 2.079},  {"gh200", &form_107, &form_109, 1.449},
    {"gh200", &form_107, &form_110, 1.953},  {"gh200", &form_107, &form_111, 2.089},
    {"gh200", &form_112, &form_113, 8.23},   {"gh200", &form_112, &form_114, 2.091},
    {"gh200", &form_112, &form_115, 6.451},  {"gh200", &form_112, &form_116, 7.293},
    {"gh200", &form_112, &form_117, 8},      {"mi300a", &form_86, &form_87, 2.066},
    {"mi300a", &form_86, &form_88, 1.03},    {"mi300a", &form_86, &form_89, 1.099},
    {"mi300a", &form_86, &form_90, 1.61},    {"mi300a", &form_86, &form_91, 2.433},
    {"mi300a", &form_93, &form_94, 2.176},   {"mi300a", &form_93, &form_95, 1.118},
    {"mi300a", &form_93, &form_96, 1.221},   {"mi300a", &form_93, &form_118, 1.737},
    {"mi300a", &form_107, &form_108, 1.211}, {"mi300a", &form_107, &form_109, 0.996},
    {"mi300a", &form_107, &form_110, 1.07},  {"mi300a", &form_107, &form_111, 1.22},
    {"gh200", &form_119, &form_120, 1.037},  {"mi300a", &form_119, &form_120, 1.114},
    {"gh200", &form_121, &form_122, 1.111},  {"mi300a", &form_121, &form_122, 1.719},
    {"gh200", &form_123, &form_124, 1.121},  {"mi300a", &form_123, &form_124, 1.338},
    {"gh200", &form_125, &form_126, 1.103},  {"mi300a", &form_125, &form_126, 1.134},
    {"gh200", &form_127, &form_128, 1.153},  {"mi300a", &form_127, &form_128, 2.49},
    {"gh200", &form_129, &form_130, 1.119},  {"mi300a", &form_129, &form_130, 2.166},
    {"gh200", &form_131, &form_132, 1.203},  {"mi300a", &form_131, &form_132, 2.609},
    {"gh200", &form_133, &form_134, 1.161},  {"mi300a", &form_133, &form_134, 3.396},
    {"gh200", &form_135, &form_136, 0.647},  {0}};

const measured_set measured_sets[] = {
    {"static cost",
     "Peng, Grossman and Sarkar, \"Static Cost Estimation for Data Layout Selection on GPUs\", "
     "tables IV and V",
     "sizes of all programs, and the threads of LavaMD (docs/reproduce-static-cost.md); fewer "
     "bodies and boxes",
     rows_0},
    {"layout selection",
     "Kofler, Cosenza and Fahringer, \"Automatic Data Layout Optimizations for GPUs\", table 2",
     "sizes; the clusters of SAMPO and LavaMD, which are SoA or tiles here, and how LavaMD uses "
     "local memory",
     rows_1},
    {"remapping",
     "Che, Sheaffer and Skadron, \"Dymaxion\", sections 5.1 to 5.4: kernels on the average of "
     "three sizes",
     "fields of NN, features of k-means", rows_2},
    {"four floats", "M. Werner, github.com/tdd11235813/cuda_benchmarks, src/test_arrays.cu", "",
     rows_3},
    {"trees", "Z. Jin in github.com/ROCm/hip/issues/3106; github.com/zjin-lcf/HeCBench, layout",
     "a quarter of the apples; which boards", rows_4},
    {"pairs",
     "simpleMathAoS and simpleMathSoA of \"Professional CUDA C Programming\", measured by two "
     "strangers (index 60838089699, 35009745382)",
     "by the host's clock on V100", rows_5},
    {"one of many floats", "C. Frye, modal.com/gpu-glossary/perf/memory-coalescing",
     "threads and blocks are not told; a quarter of the floats", rows_6},
    {"properties", "C. Trott in github.com/kokkos/kokkos/issues/4751",
     "blocks; a 32nd of the particles", rows_7},
    {"squares",
     "github.com/drryjoh/CFE, docs/performance and benchmarks/results/phase0_field_update_v100.csv",
     "", rows_8},
    {"stencil", "github.com/sbouhrour/mgpu-cg-stencil-solver, exploration/data/remote, 192^3",
     "a grid of 64^3; rows inside alone", rows_9},
    {"points",
     "G. Gruszczynski, github.com/ggruszczynski/gpu_colab, 80_gpu_aos_vs_soa_mem_layout.ipynb",
     "a 16th of the points", rows_10},
    {"complex numbers",
     "github.com/ThrudPrimrose/SC26-Layout-AD and SC26-Layout-Artifacts, E1, E2 and E4; the MI300A "
     "by its README",
     "a 32nd of the numbers, a 64th of the matrices; caches are not emptied between", rows_11},
};
const unsigned measured_set_count = sizeof measured_sets / sizeof *measured_sets;
