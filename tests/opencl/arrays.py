# A Python program with PyOpenCL: an array of records whose type numpy and the device share, arrays that
# kernels of PyOpenCL's own fill and add, and a program of several kernels.
import zlib

import numpy
import pyopencl as cl
import pyopencl.array
import pyopencl.elementwise
import pyopencl.tools

COUNT = 1000

context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
device = context.devices[0]

body = numpy.dtype(
    [("mass", numpy.float64), ("kind", numpy.int8), ("steps", numpy.int16), ("x", numpy.int32), ("y", numpy.int32)]
)
body, declaration = cl.tools.match_dtype_to_c_struct(device, "body", body)
body = cl.tools.get_or_register_dtype("body", body)

kernels = (
    declaration
    + """
__kernel void move(__global body *bodies, int by) {
    int i = get_global_id(0);
    bodies[i].x += by * bodies[i].kind;
    bodies[i].y ^= bodies[i].x;
    bodies[i].steps++;
}
__kernel void weigh(__global const body *bodies, __global double *out) {
    int i = get_global_id(0);
    out[i] = bodies[i].mass * 0.5 + bodies[i].steps;
}
"""
)


def tell(what, array):
    print(what, array.dtype.name, zlib.crc32(numpy.ascontiguousarray(array).tobytes()), flush=True)


bodies = numpy.zeros(COUNT, body)
bodies["mass"] = numpy.arange(COUNT) * 0.25
bodies["kind"] = numpy.arange(COUNT) % 7 - 3
bodies["x"] = numpy.arange(COUNT) * 11
bodies["y"] = 5

program = cl.Program(context, kernels).build(options=["-DUNUSED=1"])
flags = cl.mem_flags
of_bodies = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=bodies)
masses = cl.array.zeros(queue, COUNT, numpy.float64)
for step in range(5):
    program.move(queue, (COUNT,), None, of_bodies, numpy.int32(step))
program.weigh(queue, (COUNT,), (100,), of_bodies, masses.data)
cl.enqueue_copy(queue, bodies, of_bodies)
tell("bodies", bodies)
tell("masses", masses.get())

# An array of records, which the host changes in between.
more = cl.array.to_device(queue, bodies[:512])
move = cl.Kernel(program, "move")
move.set_args(more.data, numpy.int32(-3))
event = cl.enqueue_nd_range_kernel(queue, move, (512,), (64,))
mapped, _ = cl.enqueue_map_buffer(queue, more.data, cl.map_flags.READ | cl.map_flags.WRITE, 0, 512, body, wait_for=[event])
mapped["y"][100:200] = -1
mapped.base.release(queue)
move(queue, (512,), (64,), more.data, numpy.int32(9))
tell("more", more.get())

# Kernels that PyOpenCL writes.
numbers = cl.array.to_device(queue, numpy.arange(0, 3000, 3, numpy.int32))
tell("squares", (numbers * numbers).get())
scale = cl.elementwise.ElementwiseKernel(
    context, "body *b, int by", "b[i].x = b[i].x * by; b[i].kind -= 1", "scale", preamble=declaration
)
scale(more, numpy.int32(3))
tell("scaled", more.get())
