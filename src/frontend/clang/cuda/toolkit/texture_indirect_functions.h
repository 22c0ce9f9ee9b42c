/* Textures are ours, not NVIDIA's. */
#include <heddle_textures.h>
