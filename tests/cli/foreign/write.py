#!/usr/bin/env python3
"""write.py KIND [LAUNCH] <TEXT: a trace in Heddle's text form as another tool writes it.

KIND is mem_trace, traceg, traceg-list (addresses not compressed), traceg-lines, cutracer,
cutracer-old (without kernel_metadata) or omniprobe. What each of them writes stands in
docs/foreign-input.md, with where that is from. Of kinds with a file for each launch, LAUNCH is that
one, from 0.
"""
import json
import sys


class Launch:
    """Sizes, accesses by pc, and events: (block, pc, [(thread, address)])."""

    def __init__(self, words):
        self.number, self.kernel = int(words[0]), words[1]
        sizes = [int(w) for w in words[3:9]]
        self.grid, self.block = sizes[:3], sizes[3:]
        self.threads = self.block[0] * self.block[1] * self.block[2]
        self.accesses, self.local, self.events = {}, [], []

    def coordinates(self, block):
        x, y, _ = self.grid
        return [block % x, block // x % y, block // x // y]


def read(lines):
    launches, block = [], 0
    for line in lines:
        words = line.split()
        if line.startswith("# launch "):
            launches.append(Launch(words[2:]))
        elif line.startswith("# buffer ") and words[4] == "local":
            launches[-1].local.append(int(words[5], 16))
        elif line.startswith("# access "):
            pc, kind, width, space, _, _, _, _, source, column = words[2:]
            launches[-1].accesses[pc] = (kind, int(width), space, int(source), int(column))
        elif line.startswith("B "):
            block = int(words[1])
        elif words and not line.startswith("#"):
            lanes = [w.split(":") for w in words[4:]]
            lanes = [(int(t), int(a, 16)) for t, a in lanes]
            launches[-1].events.append((block, words[1], lanes))
    return launches


def waves(launch, lanes_of_wave):
    """Each instruction of each warp: block, warp, pc, access, {lane: address}."""
    for block, pc, lanes in launch.events:
        by_warp = {}
        for thread, address in lanes:
            if launch.accesses[pc][2] == "local":  # an offset in the block's memory
                address = (address - min(launch.local)) % (1 << 24)
            by_warp.setdefault(thread // lanes_of_wave, {})[thread % lanes_of_wave] = address
        for warp in sorted(by_warp):
            yield block, warp, pc, launch.accesses[pc], by_warp[warp]


def opcode(access):
    kind, width, space, _, _ = access
    name = {"L": "LD", "S": "ST", "A": "ATOM"}[kind] + {"global": "G", "local": "S"}[space] + ".E"
    if kind == "A":
        return name + ".ADD.STRONG.GPU" if space == "global" else name + ".ADD"
    return name + {1: ".U8", 2: ".U16", 4: "", 8: ".64", 16: ".128"}[width] + ".CONSTANT" * (
        kind == "L" and space == "global")


def mem_trace(launches):
    print("------------- NVBit (NVidia Binary Instrumentation Tool v1.7.6) Loaded --------------")
    for launch in launches:
        print("MEMTRACE: CTX 0x000055d0c8f0e6d0 - LAUNCH - Kernel pc 0x00007f3a8f2fa500 - Kernel name "
              f"{launch.kernel}(float const*, float*) - grid launch id {launch.number} - grid size "
              f"{','.join(map(str, launch.grid))} - block size {','.join(map(str, launch.block))} "
              "- nregs 12 - shmem 0 - cuda stream id 0")
        print("the program's own output")
        for block, warp, _, access, lanes in waves(launch, 32):
            x, y, z = launch.coordinates(block)
            slot = block % 3 * 8 + warp  # warps have slots of an SM, not numbers of the block
            addresses = " ".join(f"0x{lanes.get(lane, 0):016x}" for lane in range(32))
            print(f"MEMTRACE: CTX 0x000055d0c8f0e6d0 - grid_launch_id {launch.number} - CTA "
                  f"{x},{y},{z} - warp {slot} - {opcode(access)} - {addresses} ")


def compressed(lanes, plain):
    order = sorted(lanes)
    addresses = [lanes[lane] for lane in order]
    steps = [b - a for a, b in zip(addresses, addresses[1:])]
    if plain:
        return "0 " + " ".join(f"0x{a:016x}" for a in addresses)
    if order == list(range(order[0], order[-1] + 1)) and len(order) > 1 and len(set(steps)) == 1:
        return f"1 0x{addresses[0]:x} {steps[0]}"
    return f"2 0x{addresses[0]:x} " + " ".join(map(str, steps))


def traceg(launch, plain, lines):
    for line in (f"-kernel name = _Z{len(launch.kernel)}{launch.kernel}PKfPf", "-kernel id = 1",
                 f"-grid dim = ({','.join(map(str, launch.grid))})",
                 f"-block dim = ({','.join(map(str, launch.block))})", "-shmem = 0", "-nregs = 12",
                 "-binary version = 80", "-cuda stream id = 0",
                 "-shmem base_addr = 0x00007f8e1c000000", "-local mem base_addr = 0x00007f8e1a000000",
                 "-nvbit version = 1.5.5", "-accelsim tracer version = 4",
                 f"-enable lineinfo = {int(lines)}", "",
                 "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] "
                 "mem_width [adrrescompress?] [mem_addresses] immediate", ""):
        print(line)
    blocks = {}
    for block, warp, pc, access, lanes in waves(launch, 32):
        blocks.setdefault(block, {}).setdefault(warp, []).append((pc, access, lanes))
    for block, warps in sorted(blocks.items()):
        x, y, z = launch.coordinates(block)
        print(f"\n#BEGIN_TB\n\nthread block = {x},{y},{z}")
        for warp in range((launch.threads + 31) // 32):
            body = ["0000 ffffffff 1 R1 IMAD.MOV.U32 2 R255 R255 0 0 "]
            for pc, access, lanes in warps.get(warp, []):
                mask = sum(1 << lane for lane in lanes)
                body.append(f"{int(pc) * 16 + 16:04x} {mask:08x} 1 R2 {opcode(access)} 1 R4 "
                            f"{access[1]} {compressed(lanes, plain)} 0 ")
            if lines:
                body = [f"{12 + n} {line}" for n, line in enumerate(body)]
            print(f"\nwarp = {warp}\ninsts = {len(body)}")
            print("\n".join(body))
        print("\n#END_TB")


def cutracer(launch, old):
    registers = "R2, desc[UR4][R2.64] ;"
    if not old:
        table = {pc: {"sass": f"{opcode(a)} {registers}"} for pc, a in launch.accesses.items()}
        print(json.dumps({"type": "kernel_metadata", "mangled_name": f"_Z4{launch.kernel}v",
                          "unmangled_name": f"{launch.kernel}(float*)", "kernel_checksum": "7fa21c3",
                          "func_addr": "0x7f3a8f2fa500", "nregs": 12, "shmem_static": 0,
                          "grid": launch.grid, "block": launch.block, "shmem_dynamic": 0,
                          "instructions": table}))
    warps = (launch.threads + 31) // 32
    for index, (block, warp, pc, access, lanes) in enumerate(waves(launch, 32)):
        record = {"addrs": [lanes.get(lane, 0) for lane in range(32)],
                  "cta": launch.coordinates(block), "ctx": "0x5591abcd",
                  "grid_launch_id": launch.number, "ipoint": "B", "opcode_id": int(pc),
                  "pc": f"0x{int(pc) * 16:x}", "timestamp": 1000 + index, "trace_index": index,
                  "type": "mem_addr_trace", "warp": block * warps + warp}
        if old:
            record = {**record, "type": "mem_trace", "sass": f"@!P0 {opcode(access)} {registers}"}
        print(json.dumps(record, separators=(",", ":")))


def omniprobe(launches):
    kinds = {"L": "read", "S": "write", "A": "readwrite"}
    for launch in launches:
        for block, wave, _, access, lanes in waves(launch, 64):
            kind, _, _, line, column = access
            x, y, z = launch.coordinates(block)
            addresses = ",".join(str(lanes[lane]) for lane in sorted(lanes))
            print(f'{{"kernel_name": "{launch.kernel}(float*) [clone .kd]",'
                  f'"dispatch_id": {launch.number + 1},"exec": {sum(1 << lane for lane in lanes)},'
                  f'"timestamp": 12345,"dwarf_line": {line},"dwarf_column": {column},'
                  f'"block_idx_x": {x},"block_idx_y": {y},"block_idx_z": {z},"wave_num": {wave},'
                  f'"xcc_id": 0,"se_id": 1,"cu_id": 2,"active_lane_count": {len(lanes)},'
                  f'"user_type": 1,"op_type": "{kinds[kind]}","addresses": [{addresses}]}}')


def main():
    kind, launches = sys.argv[1], read(sys.stdin)
    one = launches[int(sys.argv[2])] if len(sys.argv) > 2 else None
    if kind == "mem_trace":
        mem_trace(launches)
    elif kind.startswith("traceg"):
        traceg(one, kind == "traceg-list", kind == "traceg-lines")
    elif kind.startswith("cutracer"):
        cutracer(one, kind == "cutracer-old")
    elif kind == "omniprobe":
        omniprobe(launches)
    else:
        sys.exit(f"no kind {kind}")


main()
