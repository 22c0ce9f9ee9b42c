/* The kernels of examples/remap/kmeans; -DREMAPPED chooses. */
#ifdef REMAPPED
#include "../../examples/remap/kmeans/remapped.cl"
#else
#include "../../examples/remap/kmeans/plain.cl"
#endif
