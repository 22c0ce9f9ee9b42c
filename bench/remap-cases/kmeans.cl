/* The kernels of remap/examples/kmeans; -DREMAPPED chooses. */
#ifdef REMAPPED
#include "../../remap/examples/kmeans/remapped.cl"
#else
#include "../../remap/examples/kmeans/plain.cl"
#endif
