#!/usr/bin/env python3
"""terminal.py COMMAND <text >picture.svg: a terminal that shows a command and what it printed."""
import sys
from xml.sax.saxutils import escape

LINE, WIDTH, LEFT, TOP = 17, 7.23, 16, 44
lines = ["$ " + sys.argv[1]] + sys.stdin.read().rstrip("\n").split("\n")
width = round(max(len(line) for line in lines) * WIDTH + 2 * LEFT)
height = TOP + LINE * len(lines) + 6
print('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">' % (width, height, width, height))
print('<rect width="100%" height="100%" rx="8" fill="#1d2127"/>')
for x, colour in ((18, "#ec6a5e"), (36, "#f4bf4f"), (54, "#61c554")):
    print('<circle cx="%d" cy="17" r="5.5" fill="%s"/>' % (x, colour))
print('<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="12" fill="#d7dce2">')
for number, line in enumerate(lines):
    colour = ' fill="#8fd18a"' if number == 0 else ""
    print('<text x="%d" y="%d" xml:space="preserve" textLength="%.2f" lengthAdjust="spacingAndGlyphs"%s>%s</text>'
          % (LEFT, TOP + LINE * number, len(line) * WIDTH, colour, escape(line)) if line else "")
print("</g>\n</svg>")
