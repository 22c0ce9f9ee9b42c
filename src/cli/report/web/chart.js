/*
 * A chart over a Range: uPlot with axes and a cursor, and painters of our own for what it has not.
 * Dragging shows the dragged part, a double click all; keys do both while the chart has the focus.
 */
import uPlot from 'uplot';
import { style } from './dom.js';
import { compact, count } from './format.js';
import { eachBar } from './bars.js';
import { lower } from './series.js';

/** Steps between figures on an axis of whole numbers. */
const WHOLE = Array.from({ length: 15 }, (_, i) => [1, 2, 5].map(step => step * 10 ** i)).flat();
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

function addDot(path, shape, x, y, radius) {
    if (shape === 'square') {
        path.rect(x - radius, y - radius, 2 * radius, 2 * radius);
        return;
    }
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

/** A dot for each value, a circle unless `shape` says otherwise; uPlot's drawing of a series. */
function dotPath({ shape, size = 3 }) {
    return (u, s) => {
        const path = new Path2D(), drawn = new Set();
        const radius = size * uPlot.pxRatio, xs = u.data[0], ys = u.data[s];
        for (let i = lower(xs, u.scales.x.min); i < xs.length && xs[i] <= u.scales.x.max; i++) {
            const x = Math.round(u.valToPos(xs[i], 'x', true));
            const y = Math.round(u.valToPos(ys[i], 'y', true));
            if (ys[i] === null || drawn.has(x * 8192 + y)) // one dot for a pixel is enough
                continue;
            drawn.add(x * 8192 + y);
            addDot(path, shape, x, y, radius);
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

/** Figures of an axis: short ones, or if two of them then read the same, whole ones. */
function labels(values) {
    const show = as => values.map(value => value === null ? '' : as(value));
    const short = show(compact);
    return new Set(short).size === short.length ? short : show(count);
}

/** An axis of uPlot in the colours of the page. */
export function axis(label, more) {
    return {
        label, labelFont: FONT, font: FONT, labelSize: 20, labelGap: 2,
        stroke: style('--quiet'),
        grid: { stroke: style('--grid'), width: 1 },
        ticks: { stroke: style('--grid'), width: 1, size: 4 },
        values: (u, values) => labels(values),
        ...more,
    };
}

/** Labels above the places of `marks`, the first ones first, as far as there is room. */
function drawMarks(u, marks) {
    const { ctx, bbox } = u, pixel = uPlot.pxRatio, taken = [], right = bbox.left + bbox.width;
    ctx.save();
    ctx.fillStyle = style('--quiet');
    ctx.font = `${11 * pixel}px system-ui, sans-serif`;
    ctx.textAlign = 'center';
    ctx.textBaseline = 'bottom';
    for (const { x, y, label } of marks) {
        const at = u.valToPos(x, 'x', true), top = u.valToPos(y, 'y', true) - 2 * pixel;
        const half = ctx.measureText(label).width / 2 + 3 * pixel;
        if (at < bbox.left || at > right ||
            taken.some(([from, to]) => at - half < to && at + half > from))
            continue;
        taken.push([at - half, at + half]);
        ctx.fillText(label, Math.min(Math.max(at, bbox.left + half), right - half), top);
    }
    ctx.restore();
}

/** On a logarithmic axis only powers of ten have room for a figure. */
const powers = (u, values) => values.map(value =>
    value >= 1 && Number.isInteger(Math.log10(value)) ? compact(value) : '');

/** Keeps what `plot()` gives as wide as its host, and ends it when the host has left the page. */
export function keepWidth(host, plot) {
    const observer = new ResizeObserver(() => {
        const width = host.clientWidth;
        if (!host.isConnected) {
            plot().destroy(); // uPlot would hold on to it
            observer.disconnect();
        } else if (width && width !== plot().width) {
            plot().setSize({ width, height: plot().height });
        }
    });
    observer.observe(host);
}

export class Chart {
    /**
     * @param {HTMLElement} host where it goes; as wide as that
     * @param {Object} options
     *     label, of the whole; range; x
     *     lines: each with y, label, colour (a custom property), kind, and what that kind takes
     *     xLabel, yLabel, height; xAxis, yAxis: more for uPlot's axes; axes: more axes
     *     log: y is logarithmic; top: a y that is always shown; whole: y goes from 0 to 1
     *     marks: places that get a label, each with x, y, label; draw(u): called after the lines
     *     hover(x, next, u): x under the cursor and one pixel further; null when it is elsewhere
     */
    constructor(host, options) {
        this.host = host;
        this.options = options;
        this.range = options.range;
        this.log = options.log ?? false;
        this.dots = options.lines.some(line => line.kind === 'dots');
        this.#prepareHost();
        this.range.watch(() => this.#rescale());
        this.#make();
        keepWidth(host, () => this.plot);
    }

    setLog(log) {
        this.log = log;
        this.plot.destroy();
        this.#make();
    }

    /** What can be seen of x: half a distance more on either side, and room for whole dots. */
    #edges() {
        const { from, to, whole } = this.range;
        const more = this.dots ? Math.max(0.5, (to - from) / 80) : whole ? 0.5 : 0;
        return { min: from - more, max: to + more };
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
        if (this.dots)
            return [-0.06 * high, 1.06 * high];
        if (this.log) {
            const least = 10 ** (Math.ceil(Math.log10(Math.max(low, 1))) - 1);
            return [Math.max(SMALLEST_LOG, least), Math.max(high, 1) * 1.5];
        }
        const bottom = Math.min(low, 0) * 1.06, upper = Math.max(high, 0) * 1.06;
        return bottom < upper && Number.isFinite(upper - bottom) ? [bottom, upper] : [0, 1];
    }

    #scales() {
        return {
            x: { time: false, auto: false, distr: this.range.log ? 3 : 1, log: 2,
                 range: (u, min, max) => [min, max], ...this.#edges() }, // not to the next power
            y: { distr: this.log ? 3 : 1, range: () => this.#yRange() },
        };
    }

    #xFigures() {
        return this.range.whole ? { incrs: WHOLE } : {};
    }

    #yFigures() {
        const bars = this.options.lines.every(line => line.kind === 'bars');
        return this.log ? { values: powers } : bars ? { incrs: WHOLE } : {};
    }

    #make() {
        const { x, lines, xLabel, yLabel, height = 320, draw, marks = [] } = this.options;
        const hooks = {
            setSelect: [u => this.#selected(u)],
            setCursor: [u => this.#hovered(u)],
            draw: [u => drawMarks(u, marks), u => draw?.(u)],
        };
        this.plot = new uPlot({
            width: Math.max(this.host.clientWidth, 200), height, hooks,
            padding: [16, 24, 0, 0],
            legend: { show: false },
            scales: this.#scales(),
            series: [{}, ...lines.map(seriesOf)],
            axes: [
                axis(xLabel, { size: 32, ...this.#xFigures(), ...this.options.xAxis }),
                axis(yLabel, { size: 56, ...this.#yFigures(), ...this.options.yAxis }),
                ...(this.options.axes ?? []).map(more => axis(more.label, more)),
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
