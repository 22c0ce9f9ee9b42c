/*
 * A chart over a Range: uPlot with axes and a cursor, and painters of our own for what it has not.
 * Dragging shows the dragged part, a double click all; keys do both while the chart has the focus.
 */
import uPlot from 'uplot';
import { style } from './dom.js';
import { compact } from './format.js';
import { eachBar } from './bars.js';
import { lower } from './series.js';

const FONT = '12px system-ui, sans-serif';
const SMALLEST_LOG = 0.1; // below the degree 1, so that it can be seen

/** Bars from zero; uPlot's drawing of a series. */
function barPath({ slot = 0, of = 1 }) {
    return (u, s) => {
        const path = new Path2D();
        const { min, max } = u.scales.x, { left, width, top, height } = u.bbox;
        const place = { min, max, left, width, slot, of, pixel: uPlot.pxRatio };
        const pixel = value => Math.round(u.valToPos(value, 'y', true));
        const floor = u.scales.y.distr === 3 ? top + height : pixel(0);
        eachBar(u.data[0], u.data[s], place, (at, wide, low, high) => {
            const upper = high > 0 ? pixel(high) : floor, under = low < 0 ? pixel(low) : floor;
            path.rect(at, upper, wide, Math.max(uPlot.pxRatio, under - upper));
        });
        return { stroke: null, fill: path, clip: null, band: null, gaps: null, flags: 1 };
    };
}

/** A circle for each value, or a diamond; uPlot's drawing of a series. */
function dotPath({ shape, size = 3 }) {
    return (u, s) => {
        const path = new Path2D();
        const radius = size * uPlot.pxRatio, xs = u.data[0], ys = u.data[s];
        for (let i = lower(xs, u.scales.x.min); i < xs.length && xs[i] <= u.scales.x.max; i++) {
            if (ys[i] === null)
                continue;
            const x = u.valToPos(xs[i], 'x', true), y = u.valToPos(ys[i], 'y', true);
            path.moveTo(x + radius, y);
            if (shape === 'diamond') {
                path.lineTo(x, y + radius);
                path.lineTo(x - radius, y);
                path.lineTo(x, y - radius);
            } else {
                path.arc(x, y, radius, 0, 2 * Math.PI);
            }
            path.closePath();
        }
        return { stroke: path, fill: path, clip: null, band: null, gaps: null, flags: 1 };
    };
}

const stepPath = uPlot.paths.stepped({ align: 1 });

/** What a series of a kind ('bars', 'dots' or 'steps') is to uPlot. */
function seriesOf(line) {
    const colour = style(line.colour);
    const common = { label: line.label, points: { show: false } };
    if (line.kind === 'steps')
        return { ...common, stroke: colour, width: 2, dash: line.dash, paths: stepPath };
    if (line.kind === 'dots') {
        const fill = line.hollow ? style('--ground') : colour;
        return { ...common, stroke: colour, fill, width: 1, paths: dotPath(line) };
    }
    return { ...common, fill: line.faint ? colour + '90' : colour, width: 0, paths: barPath(line) };
}

function axis(label, more) {
    return {
        label, labelFont: FONT, font: FONT, labelSize: 20, labelGap: 2,
        stroke: style('--quiet'),
        grid: { stroke: style('--grid'), width: 1 },
        ticks: { stroke: style('--grid'), width: 1, size: 4 },
        values: (u, values) => values.map(value => value === null ? '' : compact(value)),
        ...more,
    };
}

/** On a logarithmic axis only powers of ten have room for a figure. */
const powers = (u, values) => values.map(value =>
    value >= 1 && Number.isInteger(Math.log10(value)) ? compact(value) : '');

export class Chart {
    /**
     * @param {HTMLElement} host where it goes; as wide as that
     * @param {Object} options label; range; x and lines, each with y, label, colour (a custom
     *     property), kind, and what that takes; xLabel, yLabel; log (y); height; top, a y that is
     *     always shown; whole (the y axis goes from 0 to 1); draw(u), called after the lines;
     *     hover(x or null, width of a pixel); xValues and xFilter, of its axis
     */
    constructor(host, options) {
        this.host = host;
        this.options = options;
        this.range = options.range;
        this.log = options.log ?? false;
        this.#prepareHost();
        this.range.watch(() => this.#rescale());
        this.#make();
        this.watcher = new ResizeObserver(() => this.#resize());
        this.watcher.observe(host);
    }

    setLog(log) {
        this.log = log;
        this.plot.destroy();
        this.#make();
    }

    /** What can be seen of x: half a distance more on either side. */
    #edges() {
        const half = this.range.whole ? 0.5 : 0;
        return { min: this.range.from - half, max: this.range.to + half };
    }

    /** Lowest and highest y that are shown; nothing outside counts. */
    #extent() {
        const { min, max } = this.#edges(), { x, lines, top } = this.options;
        const first = lower(x, min), end = lower(x, max);
        let low = Infinity, high = top ?? -Infinity;
        for (const { y } of lines) {
            for (let i = first; i < end; i++) {
                low = Math.min(low, y[i]);
                high = Math.max(high, y[i]);
            }
        }
        return [low, high];
    }

    #yRange() {
        if (this.options.whole)
            return [0, 1.02];
        const [low, high] = this.#extent();
        if (this.log) {
            const least = 10 ** (Math.ceil(Math.log10(Math.max(low, 1))) - 1);
            return [Math.max(SMALLEST_LOG, least), Math.max(high, 1) * 1.5];
        }
        const bottom = Math.min(low, 0) * 1.06, upper = Math.max(high, 0) * 1.06;
        return bottom < upper && Number.isFinite(upper - bottom) ? [bottom, upper] : [0, 1];
    }

    #scales() {
        return {
            x: { time: false, auto: false, distr: this.range.log ? 3 : 1, log: 10, ...this.#edges() },
            y: { distr: this.log ? 3 : 1, range: () => this.#yRange() },
        };
    }

    #make() {
        const { x, lines, xLabel, yLabel, height = 320, draw, xValues } = this.options;
        const hooks = { setSelect: [u => this.#selected(u)], setCursor: [u => this.#hovered(u)] };
        if (draw)
            hooks.draw = [draw];
        this.plot = new uPlot({
            width: Math.max(this.host.clientWidth, 200), height, hooks,
            padding: [10, 12, 0, 0],
            legend: { show: false },
            scales: this.#scales(),
            series: [{}, ...lines.map(seriesOf)],
            axes: [
                axis(xLabel, { size: 32, ...(xValues && { values: xValues }) }),
                axis(yLabel, { size: 56, ...(this.log && { values: powers }) }),
            ],
            cursor: {
                y: false, points: { show: false },
                drag: { x: true, y: false, setScale: false },
                bind: { dblclick: () => () => this.range.reset() },
            },
        }, [x, ...lines.map(line => line.y)], this.host);
        this.#rescale();
    }

    #rescale() {
        this.plot.setScale('x', this.#edges());
    }

    #resize() {
        const width = this.host.clientWidth;
        if (width && width !== this.plot.width)
            this.plot.setSize({ width, height: this.plot.height });
    }

    #selected(u) {
        const { left, width } = u.select;
        if (width < 3)
            return;
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        this.range.set(u.posToVal(left, 'x'), u.posToVal(left + width, 'x'));
    }

    #hovered(u) {
        const { left } = u.cursor;
        if (!this.options.hover)
            return;
        if (left < 0)
            this.options.hover(null);
        else
            this.options.hover(u.posToVal(left, 'x'), u.posToVal(left + 1, 'x'), u);
    }

    #prepareHost() {
        this.host.classList.add('chart');
        this.host.tabIndex = 0;
        this.host.setAttribute('role', 'group');
        this.host.setAttribute('aria-roledescription', 'chart');
        this.host.setAttribute('aria-label', this.options.label);
        this.host.addEventListener('keydown', event => {
            if (event.ctrlKey || event.metaKey || event.altKey || !this.range.key(event.key))
                return;
            event.preventDefault();
            event.stopPropagation();
        });
    }
}
