/*
 * A roofline (Williams, Waterman and Patterson, CACM 2009): what kernels compute in a second by what
 * they compute for a byte of DRAM, both logarithmic, below what the device's memory and units allow.
 * An SVG, so that it has the page's colours, and a title for whatever is under the cursor.
 */
import { keepWidth } from './chart.js';
import { svg } from './dom.js';
import { digits, seconds } from './format.js';

const HEIGHT = 380;
const EDGE = { left: 58, right: 16, top: 14, bottom: 44 };
const NAMED = 8; // kernels whose names stand beside them
const LETTER = 6.2; // pixels of one, about

/** Where a version of a kernel stands, without traffic of DRAM at the right edge; null: nowhere. */
function placeOf(flops, bytes, time) {
    return flops > 0 && time ? { x: bytes > 0 ? flops / bytes : Infinity, y: flops / time.seconds }
        : null;
}

/** The places of a kernel, now and then. */
export const placesOf = kernel => ({
    kernel,
    now: placeOf(kernel.flops, kernel.dram_bytes, kernel.before),
    then: placeOf(kernel.flops_after, kernel.dram_bytes_after, kernel.after),
});

const tera = (value, unit) => `${digits(value / 1e12)} T${unit}/s`;

/** Lines that nothing is above: of memories up to the highest of the units, and of units. */
export function roofsOf({ roofs, kernels }) {
    const units = [{ name: 'fp32', top: roofs.fp32 }];
    if (roofs.fp64 && kernels.some(({ fp64 }) => fp64 > 0))
        units.push({ name: 'fp64', top: roofs.fp64 });
    const memories = ['DRAM', 'L2'].map(name => ({ name, slope: roofs[name.toLowerCase()] }));
    return {
        memories: memories.filter(({ slope }) => slope)
            .map(roof => ({ ...roof, text: `${roof.name} ${tera(roof.slope, 'B')}` })),
        units: units.map(roof => ({ ...roof, text: `${roof.name} ${tera(roof.top, 'flop')}` })),
    };
}

const decade = (value, round) => 10 ** round(Math.log10(value));

/** Whole decades that have all dots and the ridges. */
function extent(places, { memories, units }) {
    const dots = places.flatMap(({ now, then }) => [now, then]).filter(Boolean);
    const tops = units.map(({ top }) => top), slopes = memories.map(({ slope }) => slope);
    const ridges = slopes.map(slope => Math.max(...tops) / slope);
    const x = [...dots.map(dot => dot.x).filter(Number.isFinite), ...ridges];
    const left = decade(Math.min(...x) / 1.5, Math.floor);
    const y = [...dots.map(dot => dot.y), left * Math.min(...slopes)];
    return {
        left, right: decade(Math.max(...x) * 1.5, Math.ceil),
        low: decade(Math.min(...y, Math.min(...tops) / 10), Math.floor),
        high: decade(Math.max(...tops) * 1.2, Math.ceil),
    };
}

const describe = ({ kernel }, when, { x, y }, time) =>
    `${kernel.kernel}, ${when}: ${digits(x)} flop/B, ${digits(y / 1e9)} Gflop/s, ` +
    `${seconds(time.seconds)}; ${time.bound}, ${Math.round(100 * time.share)}%`;

class Roofline {
    constructor(host, places, roofs, label) {
        this.host = host;
        this.places = places;
        this.roofs = roofs;
        this.label = label;
        this.height = HEIGHT;
        this.bounds = extent(places, roofs);
    }

    destroy() {}

    setSize({ width }) {
        this.width = width;
        this.host.replaceChildren(svg('svg', {
            viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: 'img',
            'aria-label': this.label,
        }, this.#axes(), this.#roofs(), this.#kernels()));
    }

    #x(value) {
        const { left, right } = this.bounds, wide = this.width - EDGE.left - EDGE.right;
        return EDGE.left + wide * Math.min(1, Math.log(value / left) / Math.log(right / left));
    }

    #y(value) {
        const { low, high } = this.bounds, tall = HEIGHT - EDGE.top - EDGE.bottom;
        return HEIGHT - EDGE.bottom - tall * Math.log(value / low) / Math.log(high / low);
    }

    #text(x, y, text, more) {
        return svg('text', { x, y, class: 'roof-text', ...more }, text);
    }

    #axes() {
        const { left, right, low, high } = this.bounds, made = [];
        const bottom = HEIGHT - EDGE.bottom, end = this.width - EDGE.right;
        for (let x = left; x < right * 1.1; x *= 10)
            made.push(svg('line', { x1: this.#x(x), x2: this.#x(x), y1: EDGE.top, y2: bottom,
                                    class: 'roof-grid' }),
                this.#text(this.#x(x), bottom + 16, digits(x), { 'text-anchor': 'middle' }));
        for (let y = low; y < high * 1.1; y *= 10)
            made.push(svg('line', { x1: EDGE.left, x2: end, y1: this.#y(y), y2: this.#y(y),
                                    class: 'roof-grid' }),
                this.#text(EDGE.left - 6, this.#y(y) + 4, digits(y / 1e9), { 'text-anchor': 'end' }));
        return [...made,
            this.#text((EDGE.left + end) / 2, HEIGHT - 8, 'flop for a byte of DRAM',
                { 'text-anchor': 'middle' }),
            this.#text(-HEIGHT / 2 + 15, 12, 'Gflop/s',
                { 'text-anchor': 'middle', transform: 'rotate(-90)' })];
    }

    #memory({ name, slope, text }) {
        const { left, low } = this.bounds, top = Math.max(...this.roofs.units.map(roof => roof.top));
        const from = Math.max(left, low / slope), to = top / slope;
        const x1 = this.#x(from), y1 = this.#y(from * slope), x2 = this.#x(to), y2 = this.#y(top);
        const turn = Math.atan2(y2 - y1, x2 - x1) * 180 / Math.PI;
        const at = { x: x1 + (x2 - x1) / 2, y: y1 + (y2 - y1) / 2 };
        return [svg('line', { x1, y1, x2, y2, class: `roof roof-${name.toLowerCase()}` }),
            this.#text(at.x, at.y + (name === 'DRAM' ? 15 : -6), text,
                { 'text-anchor': 'middle', transform: `rotate(${turn} ${at.x} ${at.y})` })];
    }

    #unit({ top, text }) {
        const from = Math.min(...this.roofs.memories.map(({ slope }) => this.#x(top / slope)));
        const end = this.width - EDGE.right, y = this.#y(top);
        return [svg('line', { x1: from, x2: end, y1: y, y2: y, class: 'roof' }),
            this.#text(end - 4, y - 5, text, { 'text-anchor': 'end' })];
    }

    #roofs() {
        return [...this.roofs.memories.flatMap(roof => this.#memory(roof)),
            ...this.roofs.units.flatMap(roof => this.#unit(roof))];
    }

    #dot(place, when, dot, time) {
        const x = this.#x(dot.x), y = this.#y(dot.y), title = svg('title', {},
            describe(place, when, dot, time));
        return when === 'now' ? svg('circle', { cx: x, cy: y, r: 5.5, class: 'dot-now' }, title)
            : svg('path', { d: `M${x - 7} ${y}L${x} ${y - 7}L${x + 7} ${y}L${x} ${y + 7}Z`,
                            class: 'dot-then' }, title);
    }

    /** Names beside the dots of the first ones, as far as there is room. */
    #names() {
        const taken = [], right = this.width - EDGE.right;
        return this.places.slice(0, NAMED).flatMap(({ kernel, now, then }) => {
            const dot = now ?? then, text = kernel.kernel, long = text.length * LETTER;
            const x = this.#x(dot.x), y = this.#y(dot.y) + 18;
            const from = Math.min(x + 6, right - long);
            if (from < EDGE.left ||
                taken.some(t => Math.abs(t.y - y) < 13 && from < t.from + t.long && t.from < from + long))
                return [];
            taken.push({ from, y, long });
            return [this.#text(from, y, text, { class: 'roof-text roof-name' })];
        });
    }

    #kernels() {
        const lines = this.places.filter(({ now, then }) => now && then).map(({ now, then }) =>
            svg('line', { x1: this.#x(now.x), y1: this.#y(now.y), x2: this.#x(then.x),
                          y2: this.#y(then.y), class: 'dot-line' }));
        const dots = this.places.flatMap(place => [
            place.now && this.#dot(place, 'now', place.now, place.kernel.before),
            place.then && this.#dot(place, 'then', place.then, place.kernel.after)]).filter(Boolean);
        return [...lines, ...dots, ...this.#names()];
    }
}

/** Draws the kernels that have a place, those that take longest first, into `host`, as wide as that. */
export function drawRoofline(host, places, roofs, label) {
    const plot = new Roofline(host, places, roofs, label);
    host.classList.add('roofline');
    keepWidth(host, () => plot);
}
