// alone
// options: -std=c++17 -lcuda -w
// Graphs as the driver changes them: nodes of any kind, their parameters, events and attributes, in graphs
// and in executable ones; edges, conditions, captures into a graph, and what graphs allocate.
#include <cuda.h>
#include <cstring>
#include <dlfcn.h>

#include "check.h"

extern "C" __global__ void add(int *x, int value) { x[threadIdx.x] += value; }
extern "C" __global__ void scale(int *x, int factor) { x[threadIdx.x] *= factor; }

enum { N = 32, BYTES = N * sizeof(int) };
static CUfunction adds, scales;
static int *x;

template <class F> static F *named(const char *name) {
    F *found = (F *)dlsym(RTLD_DEFAULT, name);
    CHECK(found);
    return found;
}

static CUDA_KERNEL_NODE_PARAMS launch(CUfunction function, void **args) {
    CUDA_KERNEL_NODE_PARAMS k = {};
    k.func = function;
    k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimY = k.blockDimZ = 1;
    k.blockDimX = N;
    k.kernelParams = args;
    return k;
}
static CUDA_MEMSET_NODE_PARAMS fill_of(unsigned value) {
    CUDA_MEMSET_NODE_PARAMS m = {};
    m.dst = (CUdeviceptr)x;
    m.value = value;
    m.elementSize = 4;
    m.width = N;
    m.height = 1;
    return m;
}
static CUDA_MEMCPY3D copy_to(int *host) {
    CUDA_MEMCPY3D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = (CUdeviceptr)x;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = host;
    c.WidthInBytes = BYTES;
    c.Height = c.Depth = 1;
    return c;
}
static CUgraphNodeParams any_launch(CUfunction function, void **args) {
    const CUDA_KERNEL_NODE_PARAMS k = launch(function, args);
    CUgraphNodeParams p = {CU_GRAPH_NODE_TYPE_KERNEL};
    std::memcpy(&p.kernel, &k, sizeof k);
    return p;
}
static CUgraphNodeParams any_fill(unsigned value) {
    const CUDA_MEMSET_NODE_PARAMS m = fill_of(value);
    CUgraphNodeParams p = {CU_GRAPH_NODE_TYPE_MEMSET};
    std::memcpy(&p.memset, &m, sizeof m);
    return p;
}

static void runs(CUgraphExec exec, const int *host, int wanted) {
    DRIVER(cuGraphLaunch(exec, nullptr));
    DRIVER(cuStreamSynchronize(nullptr));
    for (int i = 0; i < N; i++)
        CHECK(host[i] == wanted);
}
static void runs_once(CUgraph graph, const int *host, int wanted) {
    CUgraphExec exec;
    DRIVER(cuGraphInstantiate(&exec, graph, 0));
    runs(exec, host, wanted);
    DRIVER(cuGraphExecDestroy(exec));
}

// A fill, a kernel, a copy to the host.
struct Chain {
    CUgraph graph;
    CUgraphNode fill, kernel, copy;
};
static Chain chain(int *host, unsigned first, int value) {
    typedef CUresult add_first(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                               CUgraphNodeParams *);
    Chain c;
    void *args[] = {&x, &value};
    CUgraphNodeParams p = any_fill(first);
    DRIVER(cuGraphCreate(&c.graph, 0));
    DRIVER(cuGraphAddNode_v2(&c.fill, c.graph, nullptr, nullptr, 0, &p));
    p = any_launch(adds, args);
    DRIVER(named<add_first>("cuGraphAddNode")(&c.kernel, c.graph, &c.fill, 1, &p));
    p = {CU_GRAPH_NODE_TYPE_MEMCPY};
    p.memcpy.copyParams = copy_to(host);
    DRIVER(cuGraphAddNode_v2(&c.copy, c.graph, &c.kernel, nullptr, 1, &p));
    return c;
}

static void parameters() {
    int host[N], other[N], three = 3, seven = 7, two = 2;
    void *by_three[] = {&x, &three}, *by_seven[] = {&x, &seven}, *by_two[] = {&x, &two};
    Chain c = chain(host, 10, 1);
    CUgraphExec exec;
    DRIVER(cuGraphInstantiate(&exec, c.graph, 0));
    runs(exec, host, 11);

    // Of any kind: in the graph, which the executable one does not see, and in that.
    CUgraphNodeParams p = any_launch(scales, by_three);
    DRIVER(cuGraphNodeSetParams(c.kernel, &p));
    runs(exec, host, 11);
    runs_once(c.graph, host, 30);
    p = any_fill(4);
    DRIVER(cuGraphExecNodeSetParams(exec, c.fill, &p));
    runs(exec, host, 5);
    CHECK(cuGraphExecNodeSetParams(exec, c.kernel, &p) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphNodeSetParams(c.kernel, &p) == CUDA_ERROR_INVALID_VALUE);

    // A kernel, in both forms.
    CUDA_KERNEL_NODE_PARAMS k = launch(scales, by_seven);
    DRIVER(cuGraphKernelNodeSetParams_v2(c.kernel, &k));
    runs_once(c.graph, host, 70);
    k = {};
    DRIVER(cuGraphKernelNodeGetParams_v2(c.kernel, &k));
    CHECK(k.func == scales && k.blockDimX == N && *(int *)k.kernelParams[1] == 7);
    typedef CUresult set_first(CUgraphNode, const CUDA_KERNEL_NODE_PARAMS_v1 *);
    typedef CUresult get_first(CUgraphNode, CUDA_KERNEL_NODE_PARAMS_v1 *);
    CUDA_KERNEL_NODE_PARAMS_v1 first = {};
    DRIVER(named<get_first>("cuGraphKernelNodeGetParams")(c.kernel, &first));
    CHECK(first.func == scales && *(int **)first.kernelParams[0] == x);
    first.func = adds;
    first.kernelParams = by_two;
    DRIVER(named<set_first>("cuGraphKernelNodeSetParams")(c.kernel, &first));
    runs_once(c.graph, host, 12);
    k = launch(scales, by_seven); // those that were the node's are gone
    DRIVER(cuGraphExecKernelNodeSetParams_v2(exec, c.kernel, &k));
    runs(exec, host, 28);
    CHECK(cuGraphKernelNodeSetParams_v2(c.fill, &k) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphKernelNodeGetParams_v2(c.fill, &k) == CUDA_ERROR_INVALID_VALUE);

    // Fills and copies.
    CUDA_MEMSET_NODE_PARAMS m;
    DRIVER(cuGraphMemsetNodeGetParams(c.fill, &m));
    CHECK(m.dst == (CUdeviceptr)x && m.value == 10 && m.width == N && m.elementSize == 4);
    m.value = 20;
    DRIVER(cuGraphMemsetNodeSetParams(c.fill, &m));
    const CUDA_MEMCPY3D elsewhere = copy_to(other);
    DRIVER(cuGraphMemcpyNodeSetParams(c.copy, &elsewhere));
    runs_once(c.graph, other, 22);
    CHECK(host[0] == 28);
    CUDA_MEMCPY3D wide = elsewhere; // than the rows that it is said to stand in
    wide.srcPitch = BYTES - 4;
    CHECK(cuGraphMemcpyNodeSetParams(c.copy, &wide) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphMemsetNodeSetParams(c.copy, &m) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphMemsetNodeGetParams(c.copy, &m) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphMemcpyNodeSetParams(c.fill, &elsewhere) == CUDA_ERROR_INVALID_VALUE);

    // A copy of the graph has nodes of its own.
    CUgraph clone;
    CUgraphNode found;
    DRIVER(cuGraphClone(&clone, c.graph));
    DRIVER(cuGraphNodeFindInClone(&found, c.kernel, clone));
    CHECK(found != c.kernel);
    k = launch(scales, by_three);
    DRIVER(cuGraphKernelNodeSetParams_v2(found, &k));
    runs_once(clone, other, 60);
    runs_once(c.graph, other, 22);
    CHECK(cuGraphNodeFindInClone(&found, found, c.graph) == CUDA_ERROR_INVALID_VALUE);

    // The picture names the kernel.
    char text[4096] = "";
    DRIVER(cuGraphDebugDotPrint(clone, "driver.dot", CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
    FILE *file = std::fopen("driver.dot", "r");
    CHECK(file && std::fread(text, 1, sizeof text - 1, file) > 0);
    std::fclose(file);
    CHECK(!std::strncmp(text, "digraph", 7) && std::strstr(text, "scale"));
    DRIVER(cuGraphExecDestroy(exec));
    DRIVER(cuGraphDestroy(clone));
    DRIVER(cuGraphDestroy(c.graph));
}

static void events() {
    CUgraph graph;
    CUgraphNode record, wait;
    CUevent start, a, b, got;
    CUgraphExec exec;
    float took = -1;
    DRIVER(cuEventCreate(&start, 0));
    DRIVER(cuEventCreate(&a, 0));
    DRIVER(cuEventCreate(&b, 0));
    DRIVER(cuGraphCreate(&graph, 0));
    DRIVER(cuGraphAddEventRecordNode(&record, graph, nullptr, 0, a));
    DRIVER(cuGraphAddEventWaitNode(&wait, graph, &record, 1, a));
    DRIVER(cuGraphEventRecordNodeGetEvent(record, &got));
    CHECK(got == a);
    DRIVER(cuGraphEventWaitNodeGetEvent(wait, &got));
    CHECK(got == a);
    DRIVER(cuGraphInstantiate(&exec, graph, 0));
    DRIVER(cuGraphExecEventRecordNodeSetEvent(exec, record, b));
    DRIVER(cuGraphExecEventWaitNodeSetEvent(exec, wait, b));
    DRIVER(cuEventRecord(start, nullptr));
    DRIVER(cuGraphLaunch(exec, nullptr));
    DRIVER(cuEventElapsedTime(&took, start, b));
    CHECK(took >= 0);
    CHECK(cuEventElapsedTime(&took, start, a) == CUDA_ERROR_INVALID_HANDLE); // it was not recorded
    DRIVER(cuGraphEventRecordNodeSetEvent(record, b));
    DRIVER(cuGraphEventRecordNodeGetEvent(record, &got));
    CHECK(got == b);
    DRIVER(cuGraphEventWaitNodeSetEvent(wait, b));
    DRIVER(cuGraphEventWaitNodeGetEvent(wait, &got));
    CHECK(got == b);
    CHECK(cuGraphEventWaitNodeSetEvent(record, a) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphEventRecordNodeSetEvent(wait, a) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphEventWaitNodeGetEvent(record, &got) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphExecEventWaitNodeSetEvent(exec, record, a) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphExecEventRecordNodeSetEvent(exec, wait, a) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuGraphExecDestroy(exec));
    DRIVER(cuGraphDestroy(graph));
    for (CUevent event : {start, a, b})
        DRIVER(cuEventDestroy(event));
}

static void attributes() {
    int one = 1;
    void *args[] = {&x, &one};
    const CUDA_KERNEL_NODE_PARAMS k = launch(adds, args);
    CUgraph graph;
    CUgraphNode from, to, empty;
    DRIVER(cuGraphCreate(&graph, 0));
    DRIVER(cuGraphAddKernelNode_v2(&from, graph, nullptr, 0, &k));
    DRIVER(cuGraphAddKernelNode_v2(&to, graph, &from, 1, &k));
    DRIVER(cuGraphAddEmptyNode(&empty, graph, nullptr, 0));
    CUkernelNodeAttrValue value = {}, got = {};
    value.priority = -2;
    DRIVER(cuGraphKernelNodeSetAttribute(from, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    DRIVER(cuGraphKernelNodeGetAttribute(from, CU_LAUNCH_ATTRIBUTE_PRIORITY, &got));
    CHECK(got.priority == -2);
    value.cooperative = 1;
    DRIVER(cuGraphKernelNodeSetAttribute(from, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
    DRIVER(cuGraphKernelNodeGetAttribute(to, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &got));
    CHECK(got.cooperative == 0);
    DRIVER(cuGraphKernelNodeCopyAttributes(to, from));
    DRIVER(cuGraphKernelNodeGetAttribute(to, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &got));
    CHECK(got.cooperative == 1);
    DRIVER(cuGraphKernelNodeGetAttribute(to, CU_LAUNCH_ATTRIBUTE_PRIORITY, &got));
    CHECK(got.priority == -2);
    value.clusterDim = {4, 2, 1};
    DRIVER(cuGraphKernelNodeSetAttribute(from, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value));
    DRIVER(cuGraphKernelNodeCopyAttributes(to, from));
    DRIVER(cuGraphKernelNodeGetAttribute(to, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &got));
    CHECK(got.clusterDim.x == 4 && got.clusterDim.y == 2 && got.clusterDim.z == 1);
    CUgraphExec exec; // of a grid that has no whole number of such clusters
    CHECK(cuGraphInstantiate(&exec, graph, 0) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
    value.clusterDim = {0, 1, 1};
    CHECK(cuGraphKernelNodeSetAttribute(from, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphKernelNodeSetAttribute(empty, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphKernelNodeGetAttribute(empty, CU_LAUNCH_ATTRIBUTE_PRIORITY, &got) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphKernelNodeCopyAttributes(to, empty) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuGraphDestroy(graph));
}

// A graph in a node gives way to one of the same shape; what allocates is in no other graph.
static void children() {
    int host[N];
    Chain inner = chain(host, 1, 1), next = chain(host, 2, 5);
    CUgraph outer, own;
    CUgraphNode node, made;
    CUgraphExec exec;
    DRIVER(cuGraphCreate(&outer, 0));
    DRIVER(cuGraphAddChildGraphNode(&node, outer, nullptr, 0, inner.graph));
    DRIVER(cuGraphInstantiate(&exec, outer, 0));
    runs(exec, host, 2);
    DRIVER(cuGraphExecChildGraphNodeSetParams(exec, node, next.graph));
    runs(exec, host, 7);
    DRIVER(cuGraphAddEmptyNode(&made, next.graph, &next.copy, 1));
    CHECK(cuGraphExecChildGraphNodeSetParams(exec, node, next.graph) == CUDA_ERROR_INVALID_VALUE);
    runs(exec, host, 7);

    CUgraphNodeParams p = {CU_GRAPH_NODE_TYPE_MEM_ALLOC};
    p.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.alloc.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    p.alloc.bytesize = 1 << 20;
    cuuint64_t used, most, zero = 0;
    DRIVER(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used == 0);
    DRIVER(cuGraphCreate(&own, 0));
    DRIVER(cuGraphAddNode_v2(&made, own, nullptr, nullptr, 0, &p));
    CUDA_MEM_ALLOC_NODE_PARAMS got;
    DRIVER(cuGraphMemAllocNodeGetParams(made, &got));
    CHECK(got.dptr == p.alloc.dptr && got.bytesize == 1 << 20 &&
          got.poolProps.allocType == CU_MEM_ALLOCATION_TYPE_PINNED);
    DRIVER(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used == 1 << 20);
    CUgraphNodeParams child = {CU_GRAPH_NODE_TYPE_GRAPH};
    child.graph.graph = own;
    CHECK(cuGraphAddNode_v2(&node, outer, nullptr, nullptr, 0, &child) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphExecChildGraphNodeSetParams(exec, node, own) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphDestroyNode(made) == CUDA_ERROR_INVALID_VALUE);
    CUgraphNodeParams freed = {CU_GRAPH_NODE_TYPE_MEM_FREE};
    freed.free.dptr = p.alloc.dptr;
    DRIVER(cuGraphAddNode_v2(&node, own, &made, nullptr, 1, &freed));
    CHECK(cuGraphRemoveDependencies_v2(own, &made, &node, nullptr, 1) == CUDA_ERROR_INVALID_VALUE);
    // Nor is its launch captured, which would be a copy of it.
    CUgraphExec allocating;
    CUstream stream;
    CUgraph captured;
    DRIVER(cuGraphInstantiate(&allocating, own, 0));
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DRIVER(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CHECK(cuGraphLaunch(allocating, stream) == CUDA_ERROR_INVALID_VALUE);
    cuStreamEndCapture(stream, &captured);
    DRIVER(cuGraphLaunch(allocating, stream));
    DRIVER(cuStreamDestroy(stream));
    DRIVER(cuGraphExecDestroy(allocating));
    DRIVER(cuGraphDestroy(own));
    DRIVER(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    DRIVER(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &most));
    CHECK(used == 0 && most == 1 << 20);
    DRIVER(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero));
    DRIVER(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &most));
    CHECK(most == 0);
    CHECK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &zero) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuDeviceGetGraphMemAttribute(1, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &most) ==
          CUDA_ERROR_INVALID_DEVICE);
    DRIVER(cuGraphExecDestroy(exec));
    for (CUgraph graph : {outer, inner.graph, next.graph})
        DRIVER(cuGraphDestroy(graph));
}

static void edges() {
    CUgraph graph;
    CUgraphNode nodes[3], from[4], to[4];
    CUgraphEdgeData data[4];
    size_t count = 4;
    DRIVER(cuGraphCreate(&graph, 0));
    for (CUgraphNode &node : nodes)
        DRIVER(cuGraphAddEmptyNode(&node, graph, nullptr, 0));
    const CUgraphNode begins[] = {nodes[0], nodes[0]}, ends[] = {nodes[1], nodes[2]};
    DRIVER(cuGraphAddDependencies_v2(graph, begins, ends, nullptr, 2));
    std::memset(data, 0x5a, sizeof data);
    DRIVER(cuGraphGetEdges_v2(graph, from, to, data, &count));
    CHECK(count == 2 && from[0] == nodes[0] && to[0] == nodes[1] && to[1] == nodes[2]);
    CHECK(!data[1].from_port && !data[1].to_port && !data[1].type && data[2].type == 0x5a);
    count = 4;
    DRIVER(cuGraphNodeGetDependencies_v2(nodes[2], from, data, &count));
    CHECK(count == 1 && from[0] == nodes[0] && !from[1]);
    count = 4;
    DRIVER(cuGraphNodeGetDependentNodes_v2(nodes[0], to, data, &count));
    CHECK(count == 2 && to[0] == nodes[1] && to[1] == nodes[2]);
    CHECK(cuGraphGetEdges_v2(graph, nullptr, nullptr, data, &count) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphNodeGetDependencies_v2(nodes[2], nullptr, data, &count) ==
          CUDA_ERROR_INVALID_VALUE);
    CHECK(cuGraphNodeGetDependentNodes_v2(nodes[0], nullptr, data, &count) ==
          CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuGraphRemoveDependencies_v2(graph, begins, ends, nullptr, 1));
    count = 4;
    DRIVER(cuGraphGetEdges_v2(graph, nullptr, nullptr, nullptr, &count));
    CHECK(count == 1);
    CHECK(cuGraphRemoveDependencies_v2(graph, begins, ends, nullptr, 1) ==
          CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuGraphDestroy(graph));
}

static void CUDA_CB note(void *user) { ++*(int *)user; }

// What a condition is set to at each launch decides.
static void conditions() {
    int host[N], five = 5, fifty = 50;
    void *some[] = {&x, &five}, *more[] = {&x, &fifty};
    for (unsigned first : {0u, 1u}) {
        Chain c = chain(host, 100, 0);
        CUgraphConditionalHandle handle;
        CUgraphNode choice, node;
        DRIVER(cuGraphConditionalHandleCreate(&handle, c.graph, nullptr, first,
                                              CU_GRAPH_COND_ASSIGN_DEFAULT));
        CUgraphNodeParams p = {CU_GRAPH_NODE_TYPE_CONDITIONAL};
        p.conditional.handle = handle;
        p.conditional.type = CU_GRAPH_COND_TYPE_IF;
        p.conditional.size = 2;
        DRIVER(cuGraphAddNode_v2(&choice, c.graph, &c.fill, nullptr, 1, &p));
        CUDA_KERNEL_NODE_PARAMS k = launch(adds, some);
        DRIVER(cuGraphAddKernelNode_v2(&node, p.conditional.phGraph_out[0], nullptr, 0, &k));
        k = launch(adds, more);
        DRIVER(cuGraphAddKernelNode_v2(&node, p.conditional.phGraph_out[1], nullptr, 0, &k));
        DRIVER(cuGraphAddDependencies_v2(c.graph, &choice, &c.kernel, nullptr, 1));
        runs_once(c.graph, host, first ? 105 : 150);
        p.conditional.size = 3;
        CHECK(cuGraphAddNode_v2(&node, c.graph, nullptr, nullptr, 0, &p) ==
              CUDA_ERROR_INVALID_VALUE);
        CHECK(cuGraphConditionalHandleCreate(&handle, nullptr, nullptr, 0, 0) ==
              CUDA_ERROR_INVALID_VALUE);
        DRIVER(cuGraphDestroy(c.graph));
    }
}

static void captures() {
    typedef CUresult update_first(CUstream, CUgraphNode *, size_t, unsigned);
    update_first *update = named<update_first>("cuStreamUpdateCaptureDependencies");
    int calls = 0;
    CUDA_HOST_NODE_PARAMS call = {note, &calls};
    CUgraph graph, same;
    CUgraphNode first, second, third, after[4];
    CUstream stream;
    size_t count;
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DRIVER(cuGraphCreate(&graph, 0));
    DRIVER(cuGraphAddHostNode(&first, graph, nullptr, 0, &call));
    DRIVER(cuGraphAddHostNode(&second, graph, nullptr, 0, &call));
    DRIVER(cuStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1,
                                       CU_STREAM_CAPTURE_MODE_RELAXED));
    DRIVER(update(stream, &second, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    DRIVER(cuLaunchHostFunc(stream, note, &calls));
    count = 4;
    CUgraphNode nodes[8];
    size_t all = 8;
    DRIVER(cuGraphGetNodes(graph, nodes, &all));
    CHECK(all == 3);
    third = nodes[2];
    DRIVER(cuGraphNodeGetDependencies_v2(third, after, nullptr, &count));
    CHECK(count == 2 && after[0] == first && after[1] == second);
    DRIVER(cuStreamUpdateCaptureDependencies_v2(stream, &first, nullptr, 1,
                                                CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    DRIVER(cuLaunchHostFunc(stream, note, &calls));
    DRIVER(cuStreamEndCapture(stream, &same));
    CHECK(same == graph);
    all = 8;
    count = 4;
    DRIVER(cuGraphGetNodes(graph, nodes, &all));
    DRIVER(cuGraphNodeGetDependencies_v2(nodes[3], after, nullptr, &count));
    CHECK(all == 4 && count == 1 && after[0] == first);
    CUgraphExec exec;
    DRIVER(cuGraphInstantiate(&exec, graph, 0));
    DRIVER(cuGraphLaunch(exec, stream));
    DRIVER(cuStreamSynchronize(stream));
    CHECK(calls == 4);
    CHECK(update(stream, &second, 1, 0) == CUDA_ERROR_ILLEGAL_STATE);
    CHECK(cuStreamBeginCaptureToGraph(stream, nullptr, nullptr, nullptr, 0,
                                      CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuGraphExecDestroy(exec));
    // An object that the graph and the program have ends with the last of them.
    CUuserObject object;
    calls = 0;
    DRIVER(cuUserObjectCreate(&object, &calls, note, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    DRIVER(cuUserObjectRetain(object, 1));
    DRIVER(cuGraphRetainUserObject(graph, object, 2, CU_GRAPH_USER_OBJECT_MOVE));
    DRIVER(cuUserObjectRetain(object, 1));
    CHECK(cuUserObjectRetain(object, 0) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuGraphDestroy(graph));
    CHECK(calls == 0);
    DRIVER(cuUserObjectRelease(object, 1));
    CHECK(calls == 1);
    DRIVER(cuStreamDestroy(stream));
}

int main() {
    CUDA(cudaMalloc(&x, BYTES));
    CUDA(cudaGetFuncBySymbol(&adds, (const void *)add));
    CUDA(cudaGetFuncBySymbol(&scales, (const void *)scale));
    parameters();
    events();
    attributes();
    children();
    edges();
    conditions();
    captures();
    CUDA(cudaFree(x));
    return DONE;
}
