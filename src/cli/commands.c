/*
 * The two tables: commands, and the options that they take (commands.h).
 *
 * A new command is a row here and a function; a new option is a row and a member of cli_options.
 */
#include "cli/commands.h"

#include "analysis/stack.h"

const char *const cli_group_titles[] = {"Find and mend", "See", "Study", "Set up"};

/* The rows of cli_commands. */
enum {
    ADVISE,
    COSTS,
    GRAPH,
    ACCESSES,
    APPLY,
    MAP,
    RUN,
    PROGRAM,
    SHOW,
    IR,
    PTX,
    DIFF,
    REPORT,
    RECORD,
    TRACE,
    INFO,
    EXPORT,
    IMPORT,
    CACHE,
    LOCALITY,
    REUSE,
    COMPARE,
    MEASURE,
    INIT,
    DEVICE,
    LIST,
    PROBE,
    TRAIN,
    EXPLORE,
    CHECK,
    STEP,
    ONCE,
    HELP
};

/* ---- commands ------------------------------------------------------------------------------- */

#define KNOWS_RECORDS (CLI_FINDS_RECORDS | CLI_TELLS_RECORDS)

static const char about_list[] =
    "Lists the device profiles that --device takes and the OpenCL and CUDA devices that --on "
    "takes. With NAME (a profile, a file ending in .yaml, 'host', or a profile in one line such "
    "as \"warp:32 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:1536 regs:32768\"), shows that "
    "profile alone.";

const cli_command cli_commands[] = {
    [ADVISE] =
        {"advise", NULL, CLI_FIND, "find the best layout of a record, and say what it gains",
         cmd_advise, 1, 1,
         "[--device D]... [--apply DIR] [--measure | --budget TIME] [--objective WHAT] [OPTIONS] "
         "JOB|FILE",
         "Prints the verdict for the first device: what to do, what it gains, and what that rests "
         "on, with the command that does it, and then why: what moves before and after, the "
         "record, the accesses that cost most, the best layouts by static cost on each device. "
         "With --placements it also says where each buffer should live. "
         "With --budget the layouts that static cost, the layout graph and a trained tree propose "
         "are measured, and the fastest is advised, with --placements together with where its "
         "buffers live. With --by rules decision rules answer alone. With --objective the energy, "
         "or the energy-delay product, decides in the "
         "place of the time. The verdict may be to leave the layout as it is. Of a kernel file "
         "without --entry all kernels are taken together, launched as its host code does, or by "
         "guesses ('heddle init' shows them).",
         .reads = CLI_WHOLE_FILE | KNOWS_RECORDS, .takes_programs = true},
    [COSTS] =
        {"advise", "--costs", CLI_FIND, "price layouts on devices, access by access",
         cmd_advise_costs, 1, 1, "[--layout L]... [--device D]... [OPTIONS] JOB|FILE",
         "Prints the cost of each layout on each device, its ratio to AoS, and the share of every "
         "access in it, by the same counts as 'heddle advise': static cost, or a run of the job "
         "where that rests on assumptions, and the compiled kernels in each layout. The unit is "
         "one "
         "transaction served by L1. With --run 0 static cost alone answers; with loops of unknown "
         "length it is a vector then with an entry for each number of such loops around.",
         .reads = CLI_WHOLE_FILE | KNOWS_RECORDS, .takes_programs = true},
    [GRAPH] =
        {"advise", "--graph", CLI_FIND,
         "show which fields are used close together, and their clusters", cmd_advise_graph, 1, 1,
         "[--epsilon BYTES] [OPTIONS] JOB|FILE",
         "Prints the kernel data layout graph: for each two fields of the record, how many bytes "
         "of global memory a work-item moves between its uses of the one and of the other, at "
         "most. '-' stands where no work-item uses both. Fields that are nearer than epsilon make "
         "a cluster. Where the device's profile has tiles, it also prints the layout that clusters "
         "and tiles select: a proposal, which 'heddle advise --budget' races.",
         .reads = KNOWS_RECORDS, .takes_programs = true},
    [ACCESSES] =
        {"advise", "--accesses", CLI_FIND, "list where the kernels touch memory",
         cmd_advise_accesses, 1, 1, "[OPTIONS] JOB|FILE",
         "Lists the loads, stores and atomics of every kernel that the job launches: source line, "
         "buffer and field, bytes of each thread, and the element index as a sum over work-item "
         "ids, loop counters (k0, k1 ...) and arguments. Where it holds a value that is no such "
         "sum, the reason stands before it, and the value as %n, which 'heddle show --ir' "
         "shows.\n\nThe column loops holds the iterations of the loops around it, the outermost "
         "first: 64, ~12 when it differs between threads (the mean), <=64 when the loop can end "
         "early, ? when it is not known. 'if' stands after it when a condition decides whether the "
         "access runs.",
         .takes_programs = true},
    [APPLY] =
        {"apply", NULL, CLI_FIND, "write the kernels in another layout, and a header for the host",
         cmd_apply, 0, 1,
         "(--layout L | --map FILE) (--out DIR | --diff | --in-place) [OPTIONS] JOB|FILE",
         "Writes the kernel file with records in other layouts, what it includes where that "
         "changes, and a C header with the buffers, their sizes and the converters that the host "
         "needs. Host code of the same CUDA C file that launches the kernels is rewritten with "
         "them. With --map kernels whose threads do each other's work, and the map beside them. "
         "What cannot be rewritten safely is an error that names the place, and nothing is "
         "written. Before anything is written, both versions run on the machine on the job's "
         "contents (random numbers where it gives none) and every buffer is compared: exit status "
         "1 when they differ.\n\nOf an OpenCL program (\"-- PROGRAM\") without --out, --diff and "
         "--in-place nothing is written: it runs as it is, with its kernels exchanged and its "
         "buffers converted when they are used in another form.",
         .reads = CLI_ANY_ENTRY | CLI_WHOLE_FILE | KNOWS_RECORDS, .takes_programs = true,
         .live = cmd_apply_program},
    [MAP] =
        {"map", NULL, CLI_FIND,
         "find which thread should do what, and in which order data should lie", cmd_map, 1, 1,
         "[OPTIONS] JOB|FILE|TRACE",
         "Finds which thread should do what: threads that touch the same memory become a warp, "
         "warps that do a block, blocks that do follow each other; and which numbers the elements "
         "that they index should have. Each step is the job with one thing more done to it, "
         "rewritten and run on the machine: its transactions are counted, caches simulated, and "
         "its results compared with the job's. Of a trace alone orders are made, and transactions "
         "estimated.",
         .takes_programs = true, .is_divided = true},
    [RUN] =
        {"run", NULL, CLI_SEE, "run kernels or a program without a GPU, and count what they touch",
         cmd_run, 1, 1,
         "[--device D]... [--layout L] [--accesses] [--check WITH]... [OPTIONS] JOB|FILE",
         "Runs all launches of the job on the machine: on the CPU, the way a GPU's blocks run "
         "them, with every access to memory checked. Prints for each kernel and size what was "
         "executed, and the transactions that its warps would cost a device. What kernels print "
         "comes first. Exit status 1: the buffers differ from what --check names.",
         .reads = CLI_FINDS_RECORDS, .is_divided = true},
    [PROGRAM] =
        {"run", "--", CLI_SEE, "run a CUDA or OpenCL program, and count what its kernels touch",
         cmd_run_program, 1, UINT32_MAX, "[OPTIONS] -- PROGRAM [ARGUMENTS]",
         "Runs a program that uses CUDA without a GPU: Heddle's libraries take the place of "
         "CUDA's, and kernels run on the machine, from the PTX that nvcc puts into the program. Of "
         "a program that uses OpenCL launches run on the machine in the place of its device, or "
         "the machine is the device where there is none. At its end a table says what the launches "
         "of each kernel moved, and another one which lines "
         "moved most (build with -lineinfo for lines of the source). A fault is told when it "
         "happens, with the line, the thread and the memory next to it, and ends what the program "
         "does with CUDA."},
    [SHOW] =
        {"show", NULL, CLI_SEE,
         "show the source with what each line moves, heaviest first if wanted", cmd_show, 1, 1,
         "[--layout L] [--by-cost | --top N] [OPTIONS] TRACE|JOB|FILE",
         "Runs the job on the machine, or reads a trace, and shows the source with what each line "
         "made of memory: its share of the cost, requests of warps, the transactions that these "
         "became, the bytes that those moved and how many of them were asked for; what L1 served "
         "of that, what L2 served of the rest, and the bytes to and from memory (DRAM), by "
         "simulation; and for local memory the passes of its banks and how many of these are "
         "conflicts.",
         .reads = CLI_FINDS_RECORDS, .takes_programs = true},
    [IR] =
        {"show", "--ir", CLI_SEE, "print the kernels as Heddle sees them", cmd_show_ir, 1, 1,
         "[OPTIONS] JOB|FILE",
         "Prints the kernels in kir, the small SSA form that the analyses read: after inlining and "
         "clean-up, as the compiler of a device makes them. Stored as a .kir file, the text is a "
         "kernel file, too.",
         .takes_programs = true},
    [PTX] =
        {"show", "--ptx", CLI_SEE, "print the PTX that is made of a file in CUDA C", cmd_show_ptx,
         1, 1, "[--options TEXT] FILE.cu",
         "Prints the PTX that clang makes of the kernels of a file, with Heddle's own headers "
         "where there is no toolkit: what a program gets that compiles kernels while it runs, by "
         "NVRTC's interface, where there is no NVRTC. Functions of mathematics stay calls, of "
         "__nv_sinf() and its like."},
    [DIFF] =
        {"diff", NULL, CLI_SEE, "set what two layouts, jobs or traces move side by side", cmd_diff,
         1, 2,
         "--layout L [--layout L] [OPTIONS] JOB|FILE, or [OPTIONS] TRACE|JOB|FILE TRACE|JOB|FILE",
         "Sets two versions side by side: for each line of the source, each field and buffer and "
         "each kernel the transactions (of local memory the passes of its banks), how many of the "
         "second come to one of the first, and the bytes moved. The versions are a job in two "
         "layouts, or two jobs, kernel files or traces, whose lines are matched by their text. Of "
         "jobs it also predicts the times on the device, and what bounds them.",
         .reads = CLI_FINDS_RECORDS, .takes_programs = true},
    [REPORT] =
        {"report", NULL, CLI_SEE, "write a page that shows all of this, for a browser", cmd_report,
         1, 16, "[-o FILE] [OPTIONS] TRACE|JOB|FILE...",
         "Writes one HTML page that opens from disk, about one or more runs: for a job what to "
         "change and what that gains, also in time, and its record as a picture; the source with "
         "what each line moves, what the caches serve, launches and accesses, addresses over time; "
         "with --all "
         "also the reuse characteristic of every scenario, the variability of blocks, comparisons "
         "and miss ratios. Reads trace files, or runs jobs on the machine. --json prints what the "
         "page shows.",
         .reads = CLI_WHOLE_FILE | KNOWS_RECORDS, .takes_programs = true},
    [RECORD] =
        {"record", NULL, CLI_STUDY,
         "write the launches of a CUDA or OpenCL program as a job, with all they need", cmd_record,
         1, UINT32_MAX, "-o FOLDER [OPTIONS] -- PROGRAM [ARGUMENTS]",
         "Runs a program that uses CUDA without a GPU, as 'heddle run' does, and writes what it "
         "launches into a folder: a job with every launch in order, the PTX of its kernels, what "
         "memory held before them and after them; where the program was built with -lineinfo, also "
         "the source, and a job over it. An OpenCL program runs on its own device, and its job is "
         "over the source that it carries. Other commands take the folder as they take a job file; "
         "'heddle run --check expected FOLDER' runs the launches again and compares what each "
         "leaves in memory, bit for bit."},
    [TRACE] =
        {"trace", NULL, CLI_STUDY, "write every access of a run to a file, and read such files",
         cmd_trace, 1, 1, "-o FILE [OPTIONS] JOB|FILE",
         "Runs all launches of the job on the machine, as 'heddle run' does, and writes every "
         "access to memory into a trace file: which threads, which addresses. What is not traced "
         "runs all the same. 'heddle trace info FILE' says what such a file holds, 'heddle trace "
         "export FILE' writes it as text, and 'heddle trace import TEXT -o FILE' reads that back; "
         "each has a --help of its own.",
         .takes_programs = true, .is_divided = true},
    [INFO] =
        {"trace", "info", CLI_STUDY, "say what a trace file holds", cmd_trace_info, 1, 1,
         "[OPTIONS] FILE",
         "Says what a trace file holds: its launches, the accesses and buffers of their kernels, "
         "and what is missing when the run that wrote it did not come to its end. Of a run that "
         "was killed, FILE.part is left."},
    [EXPORT] =
        {"trace", "export", CLI_STUDY, "write a trace file as text", cmd_trace_export, 1, 1,
         "[OPTIONS] FILE",
         "Writes a trace file in the text form, which 'heddle help trace-text' explains. Of a "
         "trace that is not complete, the blocks that are."},
    [IMPORT] =
        {"trace", "import", CLI_STUDY, "make a trace file of text, or of another tool's trace",
         cmd_trace_import, 1, 1, "[OPTIONS] TEXT -o FILE",
         "Turns the text form, as 'heddle trace export' writes it or another tool does, into a "
         "trace file; or what NVBit's mem_trace, Accel-Sim's tracer (.traceg), CUTracer (NDJSON) "
         "or Omniprobe's AddressLogger (JSON) wrote, which the contents tell. Commands that take a "
         "trace take those files, too. What such a trace lacks is said; with --record its accesses "
         "have fields, and 'heddle diff --layout L FILE' counts them in other layouts."},
    [CACHE] =
        {"cache", NULL, CLI_STUDY,
         "simulate caches, in any layout; count stack distances, and reuse", cmd_cache, 1, 1,
         "[OPTIONS] TRACE|JOB|FILE",
         "Simulates the caches of a device for the accesses of a trace, or of a job that is run on "
         "the machine: an L1 on each SM and an L2, sets of lines with sectors, least recently used "
         "first out. Prints what each of them served, and the bytes from L2 and from memory, for "
         "every access and every field; with --layout, as if the record were laid out so.",
         .takes_programs = true},
    [LOCALITY] =
        {"cache", "--locality", CLI_STUDY, "count stack distances, and give miss ratios of caches",
         cmd_cache_locality, 1, 1, "[OPTIONS] TRACE|JOB|FILE",
         "Counts stack distances: for every access of a line, how many different lines were "
         "touched since that line was touched last, itself included. A cache of n lines, fully "
         "associative and LRU, hits the accesses of distance up to n, so that the counts give the "
         "miss ratio of every size. Reads a trace file, or runs a job on the machine.",
         .takes_programs = true, .is_divided = true},
    [REUSE] =
        {"cache", "--reuse", CLI_STUDY,
         "count how much data is used again, by distance, in six scenarios", cmd_cache_reuse, 1, 1,
         "--scenario N [OPTIONS] TRACE|JOB|FILE",
         "Counts how much data the memory instructions (MIs) of a run take up again, by the number "
         "of MIs from one use to the next: at each reuse distance the reuse degree, which is the "
         "accesses of a later MI to elements that an earlier one touched, summed over all pairs of "
         "MIs at that distance. The scenario says how blocks run: one after another, at once, or "
         "on core clusters. Reads a trace file, or runs a job on the machine. 'heddle cache "
         "--compare A B' shows how two differ.",
         .takes_programs = true, .is_divided = true},
    [COMPARE] =
        {"cache", "--compare", CLI_STUDY, "set how much is used again in two runs side by side",
         cmd_cache_compare, 2, 2, "[OPTIONS] A B",
         "Sets two reuse characteristics side by side: the difference at each distance, its sum, "
         "and how the domain changes. A and B are traces, jobs or kernel files, which are analysed "
         "as the options say, or results that 'heddle cache --reuse --json' wrote, by names in "
         ".json."},
    [MEASURE] =
        {"measure", NULL, CLI_STUDY, "time the original against another layout on a device",
         cmd_measure, 1, 1, "--layout L [OPTIONS] JOB|FILE",
         "Runs the kernels as they are and in layout L on an OpenCL or CUDA device, in turns, on "
         "equal contents, and compares what they leave in every buffer. Times are those of the "
         "kernels by the device's own clock: the median and the quartiles. With --placement the "
         "original stays where the job has it, and what it takes to bring the data to the kernels "
         "and back counts, too. With --energy both run again until a meter can tell what they "
         "take. Exit status 1: the outputs differ.",
         .reads = CLI_WHOLE_FILE | KNOWS_RECORDS, .takes_programs = true},
    [INIT] =
        {"init", NULL, CLI_SET_UP, "write a job for a kernel file, from what its host code says",
         cmd_init, 1, 1, "[-o FILE] [OPTIONS] FILE",
         "Writes a job for a kernel file: every kernel with its sizes and arguments, and the "
         "buffers. In CUDA C they come from the host code of the file, as far as they follow from "
         "its text: launches and loops around them, cudaMalloc, cudaMemcpy and their like, "
         "constants and variables; in OpenCL C from that of the file with --host: clCreateBuffer, "
         "clSetKernelArg, clEnqueueNDRangeKernel and their like. What does not is guessed, and a "
         "comment says so."},
    [DEVICE] = {"device", NULL, CLI_SET_UP,
                "list profiles and devices; probe, train, explore or check one", cmd_device, 0, 1,
                "[OPTIONS] [NAME]", about_list},
    [LIST] = {"device", "list", CLI_SET_UP,
              "list the device profiles, and the OpenCL and CUDA devices", cmd_device, 0, 1,
              "[OPTIONS] [NAME]", about_list},
    [PROBE] =
        {"device", "probe", CLI_SET_UP, "make a profile of a device that is there",
         cmd_device_probe, 0, 1, "[OPTIONS] [DEVICE]",
         "Makes a profile of a device: what its driver tells, and short measurements; each figure "
         "says where it comes from. DEVICE is an id as 'heddle device list' prints it, or a part "
         "of a name; default: the first GPU, or else the first device."},
    [TRAIN] =
        {"device", "train", CLI_SET_UP, "learn on a device which tile is best for how many bytes",
         cmd_device_train, 0, 1, "[OPTIONS] [DEVICE]",
         "Measures generated kernels on a device, with their records in each tile, and learns "
         "which tile is best for a cluster of so many bytes. DEVICE is P:D or cuda:D as 'heddle "
         "device list' prints it, or a part of an OpenCL device's name; default: OpenCL's first. "
         "Measurements and tree are kept in the profile database, and what is measured is not "
         "measured again."},
    [EXPLORE] =
        {"device", "explore", CLI_SET_UP,
         "measure generated kernels: which layout and placement is best", cmd_device_explore, 0, 1,
         "[OPTIONS] [DEVICE]",
         "Measures generated kernels on a device, each in several layouts and placements: memory "
         "divergence, sparsity, arithmetic intensity, task granularity, fields, control flow, "
         "sizes and work of the host are varied one by one. Says for each which layout and "
         "placement is best in time, in energy and in their product, and where the lead changes, "
         "and writes that with pictures as a page. DEVICE is P:D or cuda:D as 'heddle device list' "
         "prints it, or a part of an OpenCL device's name; default: OpenCL's first. What is "
         "measured is kept in the profile database."},
    [CHECK] =
        {"device", "check", CLI_SET_UP,
         "measure on an NVIDIA GPU what only one can show, as a page", cmd_device_check, 0, 0,
         "[OPTIONS]",
         "Measures on an NVIDIA GPU what only one can show, the most valuable first, and writes "
         "one page in Markdown: bandwidths, remapping, programs in many layouts against their "
         "predicted costs, the tree of tiles, and Nsight Compute's counts. It needs NVIDIA's "
         "driver and NVRTC. Each step is a process with a limit, so a device that hangs can't hold "
         "it up. Exit status 1: a layout's outputs differ; 2: a step failed, or there is no "
         "device."},
    [STEP] = {"device", "run-step", CLI_SET_UP, NULL, cmd_device_step, 5, 5,
              "STEP FOLDER RESULT SECONDS small|whole",
              "One step of the check, in a process of its own."},
    [ONCE] = {"device", "run-once", CLI_SET_UP, NULL, cmd_device_once, 2, 2, "JOB LAYOUT",
              "A run for the profiler."},
    [HELP] =
        {"help", NULL, CLI_SET_UP, "explain a command, or a topic", cmd_help, 0, 2,
         "[COMMAND|TOPIC]",
         "Explains a command or a topic; alone, lists them. Some have two words, as in 'heddle "
         "help trace info'."},
    [HELP + 1] = {0}};

/* ---- options -------------------------------------------------------------------------------- */

#define IN(command) (UINT64_C(1) << (command))
#define REUSES (IN(REUSE) | IN(COMPARE))
#define LISTS (IN(DEVICE) | IN(LIST))
/* They run jobs on the machine. */
#define RUNS                                                                                     \
    (IN(RUN) | IN(SHOW) | IN(DIFF) | IN(REPORT) | IN(TRACE) | IN(CACHE) | IN(LOCALITY) | REUSES)
/* They take kernel files without a job. */
#define KERNELS                                                                                    \
    (RUNS | IN(ADVISE) | IN(COSTS) | IN(GRAPH) | IN(ACCESSES) | IN(APPLY) | IN(MAP) | IN(MEASURE))
#define ALL UINT64_MAX
#define AT(member) offsetof(cli_options, member)

/* In the order of pages. The last ones stand under titles of their own (cli_part_of()). */
const cli_option cli_all_options[] = {
    {"device", 'd', "D", CLI_TEXTS, AT(devices), IN(ADVISE) | IN(COSTS) | IN(RUN),
     "a device profile: a name that 'heddle device list' lists, a .yaml file, or the one-line "
     "form (may be repeated); default: h200"},
    {"device", 'd', "D", CLI_TEXTS, AT(devices),
     IN(APPLY) | IN(GRAPH) | IN(MAP) | IN(SHOW) | IN(DIFF) | IN(REPORT) | IN(CACHE),
     "the device profile: its warps, transactions, lines and caches; default: h200",
     .excludes = "epsilon", .most = 1},
    {"device", 'd', "D", CLI_TEXTS, AT(devices), IN(LOCALITY) | REUSES,
     "a device profile: its lines, warps and caches, or how many core clusters (SMs) it has",
     .most = 1},
    {"device", 'd', "D", CLI_TEXTS, AT(devices), IN(IR),
     "the device whose compiler makes the kernels; default: NVIDIA's", .most = 1},
    {"device", 'd', "D", CLI_TEXTS, AT(devices), IN(PROGRAM) | IN(RECORD),
     "the device to be, for what a program asks of it and what transactions are; default: h200",
     .most = 1},
    {"device", 'd', "D", CLI_TEXTS, AT(devices), IN(MEASURE),
     "the profile for the model; default: host, if the device is this machine's processor",
     .needs = "energy", .most = 1},
    {"layout", 'l', "L", CLI_TEXTS, AT(layouts), IN(COSTS),
     "a layout to price (may be repeated); 'heddle help layout' has the notation; default: aos "
     "and soa",
     .values = "aos soa da"},
    {"layout", 'l', "L", CLI_TEXTS, AT(layouts), IN(APPLY),
     "the layout to write; RECORD=L for another record of the job (may be repeated); 'heddle help "
     "layout' has the notation",
     .values = "aos soa da", .excludes = "map"},
    {"layout", 'l', "L", CLI_TEXTS, AT(layouts), IN(RUN) | IN(SHOW),
     "run the job in this layout: its kernels are rewritten in memory, and no file is (a trace is "
     "counted as if its record lay so); RECORD=L "
     "for another record of the job (may be repeated); 'heddle help layout' has the notation",
     .values = "aos soa da", .excludes = "races"},
    {"layout", 'l', "L", CLI_TEXTS, AT(layouts), IN(DIFF),
     "a layout to compare, in which the job is run without files, or a trace counted (twice; once: "
     "with the one that it has); 'heddle help layout' has the notation",
     .values = "aos soa da"},
    {"layout", 'l', "L", CLI_TEXTS, AT(layouts), IN(CACHE) | IN(MEASURE),
     "a layout of the job's record, or the trace's; 'heddle help layout' has the notation",
     .values = "aos soa da", .most = 1},
    {"loops", 0, "RULE", CLI_TEXT, AT(loops), IN(ADVISE) | IN(COSTS),
     "length of loops whose length is not known: peng (100), kofler (256 for a work-group, 10^6 "
     "for an NDRange, else 512*10^3) or a number; default: peng",
     .values = "peng kofler"},
    {"registers", 0, "N", CLI_NUMBER, AT(registers), IN(ADVISE) | IN(COSTS),
     "registers per thread; default: estimated", .most = 1024},
    {"registers", 0, "N", CLI_NUMBER, AT(registers), IN(CACHE),
     "of a thread, which limit the blocks of an SM; default: estimated", .most = 1 << 16},
    {"run", 0, "N", CLI_TEXT, AT(run), IN(ADVISE) | IN(COSTS) | IN(REPORT),
     "where the static cost rests on assumptions, run the job on the machine and count at most so "
     "many accesses of lanes (50M, 200k); 0: never, all: no limit; default: 16M",
     .values = "all"},
    {"apply", 0, "DIR", CLI_TEXT, AT(apply), IN(ADVISE),
     "write the kernels in the best layout, and the host's header, to DIR"},
    {"no-verify", 0, NULL, CLI_FLAG, AT(no_verify), IN(ADVISE) | IN(APPLY),
     "do not run both versions on the machine to compare them before anything is written",
     .needs = "apply"},
    {"whole", 0, NULL, CLI_FLAG, AT(whole), IN(ADVISE),
     "do not try the record with its arrays, nested structs and vectors taken apart; those that "
     "the job or --split takes apart are"},
    {"measure", 0, NULL, CLI_FLAG, AT(measure), IN(ADVISE) | IN(MAP),
     "run the versions on an OpenCL or CUDA device, and time them"},
    {"budget", 0, "TIME", CLI_TEXT, AT(budget), IN(ADVISE) | IN(EXPLORE),
     "measure for at most so long (60s, 500ms, 2m): layouts, of which the fastest is advised, or "
     "variants, of which the others come another time",
     .excludes = "measure show"},
    {"placements", 0, "[LIST]", CLI_TEXT, AT(placements), IN(ADVISE),
     "say where each buffer should live, too, by whole runs: all, the default, or of device, host, "
     "fine, coarse, managed, hinted, with commas between them; with --budget placements race with "
     "the layouts, else the model of time tells",
     .values = "all device host fine coarse managed hinted", .otherwise = "all"},
    {"objective", 0, "WHAT", CLI_TEXT, AT(objective), IN(ADVISE),
     "what is to be least: time, energy or edp, their product; default: time",
     .values = "time energy edp"},
    {"by", 0, "WHAT", CLI_TEXT, AT(by), IN(ADVISE),
     "what decides: rules, the study's rule of thumb and the nearest micro-kernels that were "
     "explored, without a price or a run of any layout; default: what is counted",
     .values = "rules", .excludes = "apply measure budget placements"},
    {"meter", 0, "NAME", CLI_TEXT, AT(meter), IN(ADVISE) | IN(MEASURE),
     "the meter of the energy, as 'heddle device list --meters' names it, or its first part, or "
     "'model'; default: the first that can be read, else the model",
     .values = "model command nvml rapl perf hwmon power_supply", .needs = "energy budget"},
    {"meter", 0, "NAME", CLI_TEXT, AT(meter), IN(EXPLORE),
     "the meter of the energy, as 'heddle device list --meters' names it, or its first part, or "
     "'model'; default: the first that can be read, else the model",
     .values = "model nvml rapl perf hwmon power_supply", .excludes = "show model"},
    {"meter-command", 0, "CMD", CLI_TEXT, AT(meter_command), IN(ADVISE) | IN(MEASURE),
     "a command in the place of a meter, that prints joules or watts, as \"12.3 J\" or \"45 W\"",
     .needs = "energy budget"},
    {"again", 0, NULL, CLI_FLAG, AT(again), IN(ADVISE),
     "forget what was measured before, and measure anew", .needs = "budget"},
    {"again", 0, NULL, CLI_FLAG, AT(again), IN(APPLY), "forget what an earlier run found",
     .needs = "auto"},
    {"budget", 0, "TIME", CLI_TEXT, AT(budget), IN(APPLY),
     "race layouts for at most so long (60s, 500ms, 2m); default: 60s", .needs = "auto"},
    {"again", 0, NULL, CLI_FLAG, AT(again), IN(TRAIN) | IN(EXPLORE),
     "forget what was measured before, and measure anew", .excludes = "show"},
    {"on", 0, "DEVICE", CLI_TEXT, AT(on), IN(ADVISE) | IN(MEASURE) | IN(MAP),
     "the device to measure on: an id as 'heddle device list' prints it, or a part of its name; "
     "default: the first that runs these kernels",
     .needs = "measure budget"},
    {"on", 0, "DEVICE", CLI_TEXT, AT(on), IN(RUN),
     "the OpenCL device of --check opencl; default: the first"},
    {"repeats", 0, "N", CLI_NUMBER, AT(repeats), IN(ADVISE) | IN(MEASURE) | IN(MAP),
     "timed runs of each version; default 7; with --budget: at most so many",
     .needs = "measure budget", .most = 1000000},
    {"repeats", 0, "N", CLI_NUMBER, AT(repeats), IN(TRAIN) | IN(EXPLORE),
     "timed runs of each variant; default 7", .excludes = "show model", .most = 1000},
    {"seconds", 0, "S", CLI_REAL, AT(seconds), IN(ADVISE),
     "time limit of branch and bound; default 60"},
    {"seconds", 0, "S", CLI_REAL, AT(seconds), IN(MEASURE),
     "go on until so much time was measured"},
    {"epsilon", 0, "BYTES", CLI_NUMBER, AT(epsilon), IN(GRAPH),
     "fields nearer than this come into one cluster; default: the device's, which 'heddle device "
     "list NAME' shows with the reason"},
    {"dot", 0, NULL, CLI_FLAG, AT(dot), IN(GRAPH), "print the graph for GraphViz",
     .excludes = "json"},
    {"svg", 0, "FILE", CLI_TEXT, AT(svg), IN(GRAPH) | REUSES,
     "write the picture into this file, too"},
    {"all", 0, NULL, CLI_FLAG, AT(all), IN(ACCESSES), "accesses to private memory, too"},
    {"all", 0, NULL, CLI_FLAG, AT(all), IN(REPORT),
     "reuse characteristics and stack distances, too: they may take longer than the run"},
    {"all", 0, NULL, CLI_FLAG, AT(all), REUSES,
     "scenarios 2 and 5: all blocks or clusters added up (the default)",
     .excludes = "block cluster"},
    {"out", 'o', "DIR", CLI_TEXT, AT(input.out), IN(APPLY),
     "the folder to write into; made when it is not there", .excludes = "diff in-place"},
    {"out", 'o', "DIR", CLI_TEXT, AT(input.out), IN(RECORD),
     "the folder to make; it may be there, and empty"},
    {"out", 'o', "FILE", CLI_TEXT, AT(input.out), IN(MAP),
     "write the map of the step that is recommended, for 'heddle apply --map'; new numbers of "
     "data go beside it, to FILE.BUFFER"},
    {"out", 'o', "FILE", CLI_TEXT, AT(input.out), IN(REPORT),
     "the page to write; default: report.html", .excludes = "json"},
    {"out", 'o', "FILE", CLI_TEXT, AT(input.out), IN(TRACE) | IN(IMPORT),
     "the trace file to write"},
    {"out", 'o', "FILE", CLI_TEXT, AT(input.out), IN(EXPORT) | IN(INIT) | IN(PROBE),
     "the file to write; default: standard output"},
    {"out", 'o', "FILE", CLI_TEXT, AT(input.out), IN(EXPLORE),
     "the page of findings, tables and pictures; default: explore.html, and none with --json"},
    {"out", 'o', "FILE", CLI_TEXT, AT(input.out), IN(CHECK),
     "the page; DEVICE in its name becomes the device's; default: gpu-DEVICE.md"},
    {"map", 0, "FILE", CLI_TEXT, AT(map), IN(APPLY),
     "instead of a layout an order of threads for launches of the job, as 'heddle map' writes it: "
     "kernels read their ids through it; docs/rewrite.md has its form",
     .excludes = "host diff in-place"},
    {"auto", 0, NULL, CLI_FLAG, AT(automatic), IN(APPLY),
     "of a program that runs: find the layout while it runs, by what is counted and then by a race "
     "on the device, and keep the answer for its next run",
     .excludes = "layout out diff in-place map verify"},
    {"verify", 0, NULL, CLI_FLAG, AT(verify), IN(APPLY),
     "of a program that runs: run the first launches of each kernel in both forms, and compare "
     "what they leave",
     .excludes = "out diff in-place map"},
    {"host", 0, "FILE", CLI_TEXT, AT(host), IN(APPLY),
     "the program in C or C++ that gives kernels in OpenCL C their buffers: it is rewritten with "
     "them"},
    {"diff", 0, NULL, CLI_FLAG, AT(diff), IN(APPLY),
     "print the change as a patch instead, for 'patch -p1'", .excludes = "in-place"},
    {"in-place", 0, NULL, CLI_FLAG, AT(in_place), IN(APPLY),
     "change the files themselves, all or none"},
    {"recover", 0, NULL, CLI_FLAG, AT(recover), IN(APPLY),
     "take back what an interrupted --in-place left in a folder, by default this one, or in that "
     "of a job, a kernel or a journal",
     .excludes = "layout map out diff in-place"},
    {"stages", 0, "S,...", CLI_TEXT, AT(stages), IN(MAP),
     "which are tried, of threads, warps, blocks and throttling, or none; default: all",
     .values = "threads warps blocks throttling none"},
    {"partitioner", 0, "P", CLI_TEXT, AT(partitioner), IN(MAP),
     "who makes warps and blocks: greedy, the default, or zoltan or metis, for which heddle-mpi "
     "must be there",
     .values = "greedy zoltan metis"},
    {"no-refine", 0, NULL, CLI_FLAG, AT(as_made), IN(MAP),
     "take the partitioner's warps and blocks as they are"},
    {"data", 0, NULL, CLI_FLAG, AT(data), IN(MAP),
     "try new numbers for data, too; the default where the job declares 'indices'",
     .excludes = "no-data"},
    {"no-data", 0, NULL, CLI_FLAG, AT(no_data), IN(MAP), "data keep their numbers"},
    {"numbering", 0, "BUFFER", CLI_TEXT, AT(numbering), IN(MAP),
     "the buffer whose elements get new numbers; default: the first that may"},
    {"shuffle-threads", 0, "SEED", CLI_NUMBER, AT(shuffle_threads), IN(MAP),
     "begin with threads in a random order, as unsorted input has them",
     .excludes = "out data numbering"},
    {"shuffle-data", 0, "SEED", CLI_NUMBER, AT(shuffle_data), IN(MAP),
     "begin with data in a random order", .excludes = "out"},
    {"reuse", 0, NULL, CLI_FLAG, AT(reuse), IN(MAP),
     "count the reuse of each step, in scenarios 2, 3 and 4"},
    {"no-caches", 0, NULL, CLI_FLAG, AT(no_caches), IN(MAP) | IN(SHOW),
     "do not simulate the device's caches"},
    {"accesses", 0, NULL, CLI_FLAG, AT(accesses), IN(RUN),
     "list what was counted of each access of the kernels"},
    {"check", 0, "WITH", CLI_TEXTS, AT(checks), IN(RUN),
     "compare the buffers at the end: with 'opencl', a run on an OpenCL device, or with "
     "BUFFER=FILE, the bytes of a file (may be repeated); 'expected': after each launch, with "
     "what the job says that it leaves",
     .values = "opencl expected"},
    {"dump", 0, "BUFFER=FILE", CLI_TEXTS, AT(dumps), IN(RUN),
     "write a buffer's bytes at the end to FILE (may be repeated)"},
    {"races", 0, NULL, CLI_FLAG, AT(input.machine.races), IN(RUN) | IN(PROGRAM),
     "threads that race are a fault: each pair of lines is listed; a job runs on one worker, as "
     "its kernels are written"},
    {"stop-at-race", 0, NULL, CLI_FLAG, AT(input.machine.stop_at_race), IN(RUN),
     "with --races: the first race ends the run", .needs = "races"},
    {"allow-race", 0, "LINE", CLI_TEXTS, AT(input.machine.allowed_races), IN(RUN),
     "with --races: accesses at this line of the kernel file, or at FILE:LINE, may race (may be "
     "repeated)",
     .needs = "races"},
    {"uninitialised", 0, NULL, CLI_FLAG, AT(input.machine.uninitialised), IN(RUN) | IN(PROGRAM),
     "reading what nothing has written is a fault"},
    {"leaks", 0, NULL, CLI_FLAG, AT(leaks), IN(PROGRAM), "list what is not freed at the end"},
    {"dry", 0, NULL, CLI_FLAG, AT(dry), IN(PROGRAM),
     "run nothing: list which kernels and calls of the program would be refused, and what is "
     "approximate; exit status 1: something would be",
     .excludes = "races uninitialised leaks overhead fail-below all"},
    {"overhead", 0, "SHARE", CLI_TEXT, AT(overhead), IN(PROGRAM),
     "of its time that counting may add to the program, such as 5%; default 20%: the first blocks "
     "of each kernel are counted, and then as many as that allows, which stand for the others"},
    {"all", 0, NULL, CLI_FLAG, AT(all), IN(PROGRAM), "count every block", .excludes = "overhead"},
    {"sample", 0, "N", CLI_NUMBER, AT(sample), IN(PROGRAM),
     "of an OpenCL program: the first one of every N launches of a kernel runs on the machine, and "
     "the others on the program's device"},
    {"by-cost", 0, NULL, CLI_FLAG, AT(by_cost), IN(SHOW) | IN(DIFF),
     "only lines that touch memory, or that change, the heaviest first"},
    {"top", 0, "N", CLI_NUMBER, AT(top), IN(SHOW) | IN(DIFF),
     "the same, and only the first N of them"},
    {"sarif", 0, "FILE", CLI_TEXT, AT(sarif), IN(SHOW),
     "write what wastes memory's work as findings in SARIF, too"},
    {"fail-below", 0, "SHARE", CLI_TEXT, AT(fail_below), IN(SHOW),
     "exit status 1 when a kernel uses less than this share, such as 50%, of the bytes that it "
     "moves"},
    {"fail-below", 0, "[FILE:LINE=]SHARE", CLI_TEXTS, AT(thresholds), IN(PROGRAM),
     "exit status 1 when a line uses less than this share, such as 50%, of the bytes that it "
     "moves; "
     "with FILE:LINE that line, else each other one that moves a hundredth of all (may be "
     "repeated)"},
    {"caches", 0, NULL, CLI_FLAG, AT(caches), IN(DIFF),
     "simulate the device's caches, too: bytes to and from memory (DRAM)"},
    {"kernel", 0, "NAME", CLI_TEXT, AT(kernel), IN(RECORD),
     "launches of this kernel alone; its parameters may be left out"},
    {"launches", 0, "A-B", CLI_TEXT, AT(launches), IN(RECORD),
     "these launches alone, from 1, of those of --kernel"},
    {"every", 0, "N", CLI_NUMBER, AT(every), IN(RECORD), "the first one of every N launches"},
    {"limit", 0, "BYTES", CLI_NUMBER, AT(limit), IN(RECORD),
     "how much contents may take on the disk; launches that need more are left out"},
    {"job", 0, "JOB", CLI_TEXT, AT(job), IN(CACHE),
     "with a trace: the job that it is of, for --layout and registers"},
    {"blocks-at-once", 0, "N", CLI_NUMBER, AT(blocks_at_once), IN(CACHE),
     "that an SM holds, at most; default: as many as fit", .most = 1 << 16},
    {"line", 0, "BYTES", CLI_NUMBER, AT(line), IN(LOCALITY),
     "of a line, a power of two; default: that of --device, else 128"},
    {"per", 0, "WHAT", CLI_TEXT, AT(per), IN(LOCALITY),
     "whose accesses go through one stack: block, cluster or device; default: device",
     .values = "block cluster device"},
    {"scenario", 's', "N", CLI_NUMBER, AT(scenario), REUSES,
     "1 blocks one after another, 2 each block by itself, 3 all blocks of a launch at once, 4 K "
     "blocks at once, 5 each core cluster with its load/store units, 6 the clusters together",
     .most = 6},
    {"k", 'k', "K", CLI_NUMBER, AT(k), REUSES, "scenario 4: blocks that run at once"},
    {"k", 'k', "LIST", CLI_TEXT, AT(k_list), IN(REPORT),
     "scenario 4: blocks that run at once; default: 2,4,8,16"},
    {"clusters", 0, "C", CLI_NUMBER, AT(clusters), IN(LOCALITY),
     "core clusters of --per cluster; block n runs on cluster n mod C",
     .most = HD_STACK_CLUSTERS_MAX},
    {"clusters", 0, "C", CLI_NUMBER, AT(clusters), REUSES | IN(REPORT),
     "scenarios 5 and 6: core clusters; of a report: 16", .most = 65536},
    {"units", 0, "L", CLI_NUMBER, AT(units), REUSES,
     "scenarios 5 and 6: load/store units of each cluster, a multiple or a divisor of 32",
     .most = 1 << 20},
    {"units", 0, "LIST", CLI_TEXT, AT(units_list), IN(REPORT),
     "scenarios 5 and 6: load/store units of a cluster; default: 16,32,64"},
    {"block", 0, "B", CLI_TEXT, AT(block), REUSES, "scenario 2: this block"},
    {"cluster", 0, "N", CLI_TEXT, AT(cluster), REUSES, "scenario 5: this cluster"},
    {"element", 0, "BYTES", CLI_NUMBER, AT(element), REUSES | IN(REPORT),
     "of an element; default: 4", .most = 1 << 20},
    {"schedule", 0, "ORDERS", CLI_TEXT, AT(schedule), REUSES,
     "of blocks: sequential, random or sharing; of warps: round-robin or greedy; or one of each, "
     "such as sharing,greedy",
     .values = "sequential random sharing round-robin greedy"},
    {"seed", 0, "N", CLI_NUMBER, AT(seed), REUSES, "of the order random"},
    {"launch", 0, "N[-M]", CLI_TEXT, AT(input.launch_text),
     IN(TRACE) | IN(EXPORT) | IN(CACHE) | IN(LOCALITY) | REUSES,
     "only these launches (one, of an export), counted from 0, every repeat as one"},
    {"blocks", 0, "A[-B]", CLI_TEXT, AT(input.block_text),
     IN(TRACE) | IN(EXPORT) | IN(CACHE) | IN(LOCALITY),
     "only these blocks of each launch, counted from 0"},
    {"space", 0, "SPACES", CLI_TEXT, AT(input.space_text), IN(TRACE) | IN(EXPORT),
     "only accesses to these: global, local, constant, private, separated by commas; default: all "
     "but private",
     .values = "global local constant private"},
    {"space", 0, "SPACES", CLI_TEXT, AT(input.space_text), IN(LOCALITY) | REUSES,
     "only accesses to these: global, constant and, where blocks are apart, local, separated by "
     "commas; default: global",
     .values = "global local constant private"},
    {"memory", 0, "BYTES", CLI_NUMBER, AT(memory), IN(LOCALITY) | REUSES | IN(REPORT),
     "that stacks, or accesses and kept results, may take at a time; default: 1 GiB"},
    {"range", 0, "A[-B]", CLI_TEXT, AT(range), REUSES, "show only these distances"},
    {"csv", 0, NULL, CLI_FLAG, AT(csv), IN(LOCALITY) | REUSES,
     "as CSV: the miss ratio of every size, or the degree at every distance", .excludes = "json"},
    {"placement", 0, "P", CLI_TEXT, AT(placement), IN(MEASURE),
     "where layout L, or without one the original, has the record's buffers: device, host, fine, "
     "coarse (OpenCL), managed, hinted (CUDA); times are then those of whole runs",
     .values = "device host fine coarse managed hinted"},
    {"energy", 0, NULL, CLI_FLAG, AT(energy), IN(MEASURE),
     "the energy of both, too: by a meter of the device, or else modelled from its profile"},
    {"subtract-idle", 0, NULL, CLI_FLAG, AT(subtract_idle), IN(MEASURE),
     "subtract the power from before the runs from the energy", .needs = "energy"},
    {"force", 0, NULL, CLI_FLAG, AT(force), IN(INIT), "write over a file that is there"},
    {"host", 0, "FILE", CLI_TEXT, AT(host), IN(INIT),
     "the host code of a kernel file in OpenCL C: a file in C that launches its kernels"},
    {"meters", 0, NULL, CLI_FLAG, AT(meters), LISTS,
     "only the meters of energy, with what hinders those that cannot be read",
     .excludes = "names ids"},
    {"features", 0, NULL, CLI_FLAG, AT(features), LISTS,
     "instead, the instructions of PTX and the calls of CUDA that programs may have: exact, "
     "approximate, or refused",
     .excludes = "meters names ids"},
    {"names", 0, NULL, CLI_FLAG, AT(names), LISTS, "only the names that --device takes, one a line",
     .excludes = "ids json"},
    {"ids", 0, NULL, CLI_FLAG, AT(ids), LISTS, "only the ids that --on takes, one a line",
     .excludes = "json"},
    {"show", 0, NULL, CLI_FLAG, AT(show), IN(TRAIN) | IN(EXPLORE),
     "show what is kept, without measuring"},
    {"lengths", 0, "N,...", CLI_TEXT, AT(lengths), IN(TRAIN), "only loops of so many iterations",
     .excludes = "show"},
    {"bytes", 0, "N,...", CLI_TEXT, AT(bytes), IN(TRAIN), "only records of so many bytes",
     .excludes = "show"},
    {"vary", 0, "NAME=VALUES", CLI_TEXTS, AT(vary), IN(EXPLORE),
     "vary a dimension of the kernels: sparsity=1,2,4..64; also layout=aos,soa,da and "
     "placement=device,host (may be repeated: all combinations); default: each dimension by itself",
     .excludes = "show"},
    {"fix", 0, "NAME=VALUE", CLI_TEXTS, AT(fix), IN(EXPLORE),
     "a dimension that is not as usual: intensity=8 (may be repeated)", .excludes = "show"},
    {"profile", 0, "D", CLI_TEXT, AT(profile), IN(EXPLORE),
     "the device profile that counts and modelled energy are of; default: the device's own",
     .excludes = "show model"},
    {"model", 0, "D", CLI_TEXT, AT(model), IN(EXPLORE),
     "no device: times and energy by the models of this device profile", .excludes = "show"},
    {"keep", 0, "DIR", CLI_TEXT, AT(keep), IN(EXPLORE),
     "leave the kernels and jobs of all points in this folder, which is made", .excludes = "show"},
    {"keep", 0, "DIR", CLI_TEXT, AT(keep), IN(ADVISE),
     "of a program: leave its recording in this new folder, which 'heddle apply' and the others "
     "take in the place of the program"},
    {"pictures", 0, "DIR", CLI_TEXT, AT(pictures), IN(EXPLORE),
     "write the pictures into this folder, which is made, as SVG"},
    {"minutes", 'm', "N", CLI_REAL, AT(minutes), IN(CHECK),
     "end within so many minutes; default 20"},
    {"only", 0, "STEP", CLI_TEXTS, AT(only), IN(CHECK),
     "only this step; may be given several times"},
    {"list", 0, NULL, CLI_FLAG, AT(list), IN(CHECK), "list the steps, and end"},
    {"small", 0, NULL, CLI_FLAG, AT(small), IN(CHECK),
     "little of everything: sizes of a test, whose times say nothing"},
    {"workers", 'j', "N", CLI_NUMBER, AT(input.machine.workers), RUNS | IN(MAP),
     "threads that run blocks; default: one for each core", .most = 1024},
    {"max-instructions", 0, "N", CLI_NUMBER, AT(input.machine.max_instructions), RUNS,
     "that a block may execute before it is a fault; default 10^10"},
    {"local-memory", 0, "BYTES", CLI_NUMBER, AT(input.machine.local_memory), RUNS,
     "that a block may have; default 65536"},
    {"entry", 'e', "NAME", CLI_TEXT, AT(input.source.entry), KERNELS,
     "the kernel to launch; default: the only one"},
    {"entry", 'e', "NAME", CLI_TEXT, AT(input.source.entry), IN(IR), "this kernel only"},
    {"global", 'g', "N[,N[,N]]", CLI_SIZES, AT(input.source.global), KERNELS,
     "global size; default 65536"},
    {"local", 0, "N[,N[,N]]", CLI_SIZES, AT(input.source.local), KERNELS,
     "local size; default: what the kernel requires, else the largest powers of two up to 256, to "
     "16,16 or to 8,8,4 that divide the global size"},
    {"count", 'n', "N", CLI_NUMBER, AT(input.source.count), KERNELS,
     "elements of every buffer; default: the global size"},
    {"arg", 'a', "NAME=VALUE", CLI_TEXTS, AT(input.source.values), KERNELS,
     "value of a scalar argument (may be repeated); default: the count for integers, 1 for floats"},
    {"options", 0, "TEXT", CLI_TEXT, AT(input.source.options),
     KERNELS | IN(IR) | IN(PTX) | IN(INIT) | IN(RECORD) | IN(PROGRAM),
     "options for the compiler of the source: \"-DN=3 -I include\""},
    {"source", 0, "FILE", CLI_TEXTS, AT(input.source.sources), IN(RECORD) | IN(ADVISE) | IN(APPLY),
     "of a program: a file of its source, where its -lineinfo does not tell, or one that has no "
     "kernels (may be repeated)"},
    {"source", 0, "FILE", CLI_TEXTS, AT(input.source.sources), IN(PROGRAM),
     "of a program of HIP: a file with its kernels, which are run as compiled from it (may be "
     "repeated)"},
    {"build", 'p', "COMMAND", CLI_TEXT, AT(input.source.build), IN(APPLY),
     "of a program's recording: what builds the program in the folder of its sources, such as "
     "'nvcc "
     "-O3 -o app *.cu'; it is built there and in DIR, and both are run and compared. Of a kernel "
     "file: a build's folder, for the options in its compile_commands.json"},
    {"build", 'p', "DIR", CLI_TEXT, AT(input.source.build), (KERNELS & ~IN(APPLY)) | IN(IR),
     "a build's folder: the options for the compiler from its compile_commands.json"},
    {"record", 'r', "NAME", CLI_TEXT, AT(input.source.record), KERNELS,
     "the struct to lay out; default: that of the buffers; with --of the members of one, \"float "
     "x, y; int id\""},
    {"of", 0, "NAME", CLI_TEXT, AT(input.source.record_of), KERNELS,
     "the parameter that points to elements of --record, which the kernel knows no struct of; of "
     "another tool's trace the array's address, 0x7f5e00000000 or with its bytes "
     "0x7f5e00000000+4096"},
    {"record", 'r', "MEMBERS", CLI_TEXT, AT(input.source.record),
     IN(IMPORT) | IN(INFO) | IN(EXPORT),
     "of another tool's trace, which knows no fields: the members of the struct that an array has, "
     "such as \"float x, y; int id\""},
    {"of", 0, "ADDRESS", CLI_TEXT, AT(input.source.record_of), IN(IMPORT) | IN(INFO) | IN(EXPORT),
     "where that array begins, 0x7f5e00000000 or with its bytes 0x7f5e00000000+4096; default: the "
     "one piece of memory that is touched"},
    {"split", 0, "FIELD", CLI_TEXTS, AT(input.source.split), KERNELS,
     "take an array, a nested struct or a vector of the record apart: its parts become fields "
     "(may be repeated); of a job, too"},
    {"as-written", 0, NULL, CLI_FLAG, AT(input.source.as_written), KERNELS | IN(IR),
     "kernels access by access as their source has them; default: as the device's compiler makes "
     "them, loads merged and hoisted, loops unrolled"},
    {"trust-options", 0, NULL, CLI_FLAG, AT(input.source.trust_options), KERNELS,
     "of a job: its compiler options may be any, also such as load plug-ins or write files"},
    {"json", 0, NULL, CLI_FLAG, AT(json), ALL, "the result as JSON (docs/json.md explains it)"},
    {"color", 0, "WHEN", CLI_TEXT, AT(colour), ALL, "auto, always or never",
     .values = "auto always never"},
    {"quiet", 'q', NULL, CLI_FLAG, AT(quiet), ALL, "errors only: no warnings, notes or progress"},
    {"help", 'h', NULL, CLI_FLAG, AT(help), ALL, "this text"},
    {0}};
