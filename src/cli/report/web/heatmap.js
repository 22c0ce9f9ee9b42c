/*
 * A grid of counts as colours, over two Ranges: its columns and its rows. Where cells are smaller
 * than a pixel, a pixel has the colour of the highest of them.
 */
import uPlot from 'uplot';
import { axis, keepWidth } from './chart.js';
import { h, style } from './dom.js';

const SHADES = 256;
const SMALL = 6; // a drag this small in one direction is meant for the other one alone

/** The three parts of "#rrggbb". */
const parts = colour => [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16));

/** Colours from the one of few to the one of many, as pixels of an ImageData. */
function palette() {
    const low = parts(style('--heat-low')), high = parts(style('--heat-high'));
    return Uint32Array.from({ length: SHADES }, (_, i) => {
        const [r, g, b] =
            low.map((from, k) => Math.round(from + (high[k] - from) * i / (SHADES - 1)));
        return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
    });
}

/** Which colour a count has, if `most` has the last one: by the logarithm. */
function shade(count, most) {
    return most > 1 ? Math.round(Math.log(count) / Math.log(most) * (SHADES - 1)) : SHADES - 1;
}

/** A strip with all colours. */
export function drawScale(canvas) {
    const colours = palette();
    canvas.width = SHADES;
    canvas.height = 1;
    const image = new ImageData(new Uint8ClampedArray(colours.buffer), SHADES, 1);
    canvas.getContext('2d').putImageData(image, 0, 0);
}

export class HeatMap {
    /**
     * @param {HTMLElement} host
     * @param {Object} options label; cells: column, row, count (arrays); columns, rows: Ranges;
     *     perColumn, perRow: how much of its axis a cell is; xLabel, yLabel, xAxis, yAxis;
     *     hover(column, row), both null when the cursor is elsewhere
     */
    constructor(host, options) {
        Object.assign(this, options, { host });
        this.most = options.cells.count.reduce((most, value) => Math.max(most, value), 0);
        this.#make();
        this.columns.watch(() => this.#rescale());
        this.rows.watch(() => this.#rescale());
        keepWidth(host, () => this.plot);
    }

    #edges() {
        const edges = ({ from, to }, each) => ({ min: from * each, max: (to + 1) * each });
        return { x: edges(this.columns, this.perColumn), y: edges(this.rows, this.perRow) };
    }

    #make() {
        const { x, y } = this.#edges();
        this.host.classList.add('chart');
        this.host.tabIndex = 0;
        this.host.setAttribute('role', 'group');
        this.host.setAttribute('aria-roledescription', 'heat map');
        this.host.setAttribute('aria-label', this.label);
        this.host.addEventListener('keydown', event => this.#key(event));
        this.plot = new uPlot({
            width: Math.max(this.host.clientWidth, 200), height: 460,
            padding: [10, 24, 0, 0], legend: { show: false },
            scales: { x: { time: false, auto: false, ...x }, y: { auto: false, ...y } },
            series: [{}, { paths: () => null, points: { show: false } }],
            axes: [
                axis(this.xLabel, { size: 32, grid: { show: false }, ...this.xAxis }),
                axis(this.yLabel, { size: 72, grid: { show: false }, ...this.yAxis }),
            ],
            cursor: {
                points: { show: false },
                drag: { x: true, y: true, uni: SMALL, setScale: false },
                bind: { dblclick: () => () => this.#reset(true) },
            },
            hooks: {
                draw: [u => this.#paint(u)],
                setSelect: [u => this.#selected(u)],
                setCursor: [u => this.#hovered(u)],
            },
        }, [[x.min, x.max], [null, null]], this.host);
        this.#rescale();
    }

    #rescale() {
        const { x, y } = this.#edges();
        this.plot.batch(() => {
            this.plot.setScale('x', x);
            this.plot.setScale('y', y);
        });
    }

    #reset(step) {
        this.columns.reset(step);
        this.rows.reset(step);
    }

    #key(event) {
        const up = { ArrowUp: 'ArrowRight', ArrowDown: 'ArrowLeft' }[event.key];
        if (event.ctrlKey || event.metaKey || event.altKey)
            return;
        const moved = up ? this.rows.key(up) : this.columns.key(event.key);
        if (!moved)
            return;
        if (['+', '=', '-', '0'].includes(event.key))
            this.rows.key(event.key);
        event.preventDefault();
        event.stopPropagation();
    }

    #selected(u) {
        const { left, top, width, height } = u.select;
        if (width < SMALL && height < SMALL)
            return;
        const column = at => Math.floor(u.posToVal(at, 'x') / this.perColumn);
        const row = at => Math.floor(u.posToVal(at, 'y') / this.perRow);
        const columns = [column(left), column(left + width - 1)];
        const rows = [row(top + height - 1), row(top)];
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        this.columns.set(...columns);
        this.rows.set(...rows);
    }

    #hovered(u) {
        const { left, top } = u.cursor;
        if (left < 0)
            this.hover(null, null);
        else
            this.hover(Math.floor(u.posToVal(left, 'x') / this.perColumn),
                Math.floor(u.posToVal(top, 'y') / this.perRow));
    }

    /** The highest count of each pixel of a picture of the visible cells. */
    #counts(width, height) {
        const { column, row, count } = this.cells, highest = new Float64Array(width * height);
        const wide = width / (this.columns.to - this.columns.from + 1);
        const tall = height / (this.rows.to - this.rows.from + 1);
        for (let i = 0; i < count.length; i++) {
            const c = column[i] - this.columns.from, r = this.rows.to - row[i];
            const left = Math.floor(c * wide), top = Math.floor(r * tall);
            const right = Math.max(left + 1, Math.floor((c + 1) * wide));
            const bottom = Math.max(top + 1, Math.floor((r + 1) * tall));
            if (left < 0 || top < 0 || right > width || bottom > height)
                continue;
            for (let y = top; y < bottom; y++)
                for (let x = left; x < right; x++)
                    highest[y * width + x] = Math.max(highest[y * width + x], count[i]);
        }
        return highest;
    }

    #paint(u) {
        const { left, top, width, height } = u.bbox, colours = palette();
        const image = new ImageData(width, height), pixels = new Uint32Array(image.data.buffer);
        this.#counts(width, height).forEach((count, i) => {
            if (count)
                pixels[i] = colours[shade(count, this.most)];
        });
        const picture = h('canvas', { width, height });
        picture.getContext('2d').putImageData(image, 0, 0);
        u.ctx.drawImage(picture, left, top);
    }
}
