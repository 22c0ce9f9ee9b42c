/* The kernels of remap/examples/kmeans; -DREMAPPED chooses. */
#ifdef REMAPPED
#include "../../examples/kmeans/remapped.cl"
#else
#include "../../examples/kmeans/plain.cl"
#endif
