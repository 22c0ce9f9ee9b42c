"""fatbin.py PTX FATBIN: a fat binary that holds the text as it is, as docs/cuda-programs.md describes them."""
import struct
import sys

with open(sys.argv[1], "rb") as file:
    text = file.read() + b"\0"
text += b"\0" * (-len(text) % 8)
# kind 1 (PTX), 64 bytes of header, the text's size, compute_75
entry = struct.pack("<HHIQQIIQQQQ", 1, 0, 64, len(text), 0, 0, 75, 0, 0, 0, 0)
with open(sys.argv[2], "wb") as file:
    file.write(struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry) + len(text)) + entry + text)
