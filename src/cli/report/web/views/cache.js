/* Miss-ratio curves: what share of the accesses of lines misses, by the size of the cache. */
import { Chart } from '../chart.js';
import { h, nothing, style, svg } from '../dom.js';
import { binary, bytes, count, percent } from '../format.js';
import { Range } from '../range.js';
import { leftOut } from '../sections.js';
import { lower } from '../series.js';
import { table } from '../table.js';

export const name = 'Miss ratios';

const COLOURS = ['--accent', '--second', '--third', '--fourth', '--fifth', '--sixth'];
const DASHES = [[], [8, 4], [2, 3]];

/** All curves of all runs, each with what names it in the address, "run.stack", and its looks. */
function curves(data) {
    return data.runs.flatMap((run, r) => run.stacks.map((stack, s) => ({
        run, stack, key: `${r + 1}.${s + 1}`,
        label: `${data.runs.length > 1 ? `${r + 1}: ${run.name} · ` : ''}${perName(stack)}, ` +
            `lines of ${count(stack.line)} B`,
    }))).map((curve, i) => ({
        ...curve, colour: COLOURS[i % COLOURS.length],
        dash: DASHES[Math.floor(i / COLOURS.length) % DASHES.length],
    }));
}

function perName({ per, clusters, stacks }) {
    if (per === 'cluster')
        return `each of ${count(clusters ?? stacks)} core clusters`;
    return per === 'device' ? 'the device' : `each ${per}`;
}

/** Accesses that miss in a cache of `lines` lines. */
export function missesAt({ lines, misses, accesses }, size) {
    const i = lower(lines, size + 1) - 1;
    return i < 0 ? accesses : misses[i];
}

const ratio = (stack, size) => stack.accesses ? missesAt(stack, size) / stack.accesses : null;
const linesIn = (stack, size) => Math.floor(size / stack.line + 1e-9);

/** A sample of a line as the chart draws it. */
function sample({ colour, dash }) {
    const line = svg('line', {
        x1: 0, x2: 28, y1: 5, y2: 5, 'stroke-width': 3, 'stroke-dasharray': dash.join(' '),
    });
    line.style.stroke = `var(${colour})`;
    return svg('svg', { viewBox: '0 0 28 10' }, line);
}

function chooser(all, chosen, update) {
    const toggle = (curve, on) => {
        const stacks = all.filter(one => one === curve ? on : chosen.includes(one));
        update({ stacks: stacks.map(one => one.key).join(','), from: null, to: null },
            { redraw: true });
    };
    return h('ul', { class: 'legend' }, all.map(curve => h('li', {}, h('label', { class: 'check' },
        h('input', {
            type: 'checkbox', id: `stack-${curve.key}`, checked: chosen.includes(curve),
            onchange: event => toggle(curve, event.target.checked),
        }), sample(curve), curve.label))));
}

/** The caches of the devices, as lines over the whole height; an arrow to one that is outside. */
function drawCaches(u, chosen) {
    const { ctx, bbox } = u, pixel = devicePixelRatio, right = bbox.left + bbox.width;
    ctx.save();
    ctx.font = `${11 * pixel}px system-ui, sans-serif`;
    ctx.textBaseline = 'middle';
    ctx.setLineDash([4 * pixel, 4 * pixel]);
    chosen.filter(({ stack }) => stack.cache).forEach(({ stack, run, colour }, i) => {
        const x = Math.round(u.valToPos(stack.cache.lines * stack.line, 'x', true));
        const name = `${stack.cache.name} of ${run.device.name}, ${bytes(stack.cache.bytes)}`;
        const label = x > right ? `${name} →` : x < bbox.left ? `← ${name}` : name;
        const at = Math.min(Math.max(x, bbox.left), right);
        const turned = at + ctx.measureText(label).width + 10 * pixel > right;
        ctx.strokeStyle = ctx.fillStyle = style(colour);
        ctx.textAlign = turned ? 'right' : 'left';
        ctx.fillText(label, at + (turned ? -5 : 5) * pixel, bbox.top + (14 + 14 * i) * pixel);
        if (x !== at)
            return;
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
    });
    ctx.restore();
}

/** Sizes where any of the curves steps, up to a power of two, and each curve's ratio there. */
function join(chosen) {
    const sizes = chosen.flatMap(({ stack }) => [stack.line * Math.max(stack.footprint, 2),
        ...stack.lines.map(lines => lines * stack.line)]).filter(size => size > 0);
    sizes.push(2 ** Math.ceil(Math.log2(sizes.reduce((a, b) => Math.max(a, b)))));
    const x = [...new Set(sizes)].sort((a, b) => a - b);
    return { x, ys: chosen.map(({ stack }) => x.map(size => ratio(stack, linesIn(stack, size)))) };
}

function draw(host, readout, chosen, range, joined) {
    const lineBytes = new Set(chosen.map(({ stack }) => stack.line));
    const [line] = lineBytes;
    const inBytes = (u, values) => values.map(value => value === null ? '' : bytes(value));
    const inLines = (u, values) => values.map(value => value === null ? '' : binary(value / line));
    new Chart(host, {
        label: 'Miss ratio by size of the cache', range, x: joined.x, height: 380, whole: true,
        lines: chosen.map(({ label, colour, dash }, i) =>
            ({ y: joined.ys[i], label, colour, dash, kind: 'steps' })),
        xLabel: 'size of the cache', yLabel: 'accesses that miss',
        xAxis: { values: inBytes, space: 70 },
        yAxis: { values: (u, values) => values.map(value => `${Math.round(100 * value)}%`) },
        axes: lineBytes.size === 1
            ? [{ label: `lines of ${count(line)} B`, scale: 'x', side: 0, size: 28, values: inLines,
                 space: 70, grid: { show: false } }] : [],
        draw: u => drawCaches(u, chosen),
        hover: at => {
            readout.replaceChildren(...(at === null ? ['\u00a0'] : describe(chosen, at)));
        },
    });
}

function describe(chosen, size) {
    return chosen.map(({ stack, label }) => {
        const lines = linesIn(stack, size);
        return h('div', {}, `${label} · ${count(lines)} lines (${bytes(lines * stack.line)}): ` +
            `${count(missesAt(stack, lines))} of ${count(stack.accesses)} miss, ` +
            percent(ratio(stack, lines)));
    });
}

function facts(all) {
    const cache = row => row.stack.cache;
    const missing = row => cache(row) ? cache(row).misses / row.stack.accesses : null;
    const member = (title, of) => ({ title, value: of, show: row => count(of(row)) });
    return table('The curves', all, [
        { title: 'curve', text: true, value: row => row.key,
          show: row => h('div', { class: 'wide' }, row.label) },
        member('accesses of lines', row => row.stack.accesses),
        member('cold', row => row.stack.cold),
        member('footprint, lines', row => row.stack.footprint),
        { title: 'footprint', value: row => row.stack.footprint * row.stack.line,
          show: row => bytes(row.stack.footprint * row.stack.line) },
        { title: 'cache of the device', text: true, value: row => cache(row)?.name ?? null,
          show: row => cache(row) && `${cache(row).name}, ${bytes(cache(row).bytes)}, ` +
              `${count(cache(row).lines)} lines` },
        member('misses there', row => cache(row)?.misses ?? null),
        { title: 'miss ratio there', value: missing, show: row => percent(missing(row)) },
    ], { sort: 0, descending: false, key: 'curves' });
}

/** The ratios at powers of two of bytes, up to where nothing changes any more. */
function ratios(chosen, { low, high }) {
    const sizes = [];
    for (let size = 2 ** Math.floor(Math.log2(low)); size < 2 * high; size *= 2)
        sizes.push(size);
    return h('details', { class: 'values' }, h('summary', {}, 'Miss ratios as a table'),
        table('Share of the accesses of lines that miss', sizes, [
            { title: 'size of the cache', value: size => size, show: size => bytes(size) },
            ...chosen.map(({ stack, label }) => ({
                title: label, value: size => ratio(stack, linesIn(stack, size)),
                show: size => percent(ratio(stack, linesIn(stack, size))),
            })),
        ], { descending: false, key: 'ratios' }));
}

export function render({ data, run, values, root, update, main }) {
    const all = curves(data);
    if (!all.length) {
        root.append(leftOut(run, 'reuse', 'No miss-ratio curve'));
        return;
    }
    const keys = values.get('stacks')?.split(',');
    const chosen = all.filter(curve => keys ? keys.includes(curve.key) : curve.run === run);
    root.append(chooser(all, chosen, update));
    if (chosen.length) {
        const joined = join(chosen), { x } = joined;
        const range = new Range(x[0], x.at(-1), { whole: false, log: true });
        range.set(Number(values.get('from') ?? x[0]), Number(values.get('to') ?? x.at(-1)));
        range.watch(({ from, to, full }, step) => update(
            { from: full ? null : Math.round(from), to: full ? null : Math.round(to) }, { step }));
        const host = h('div');
        const readout = h('output', { class: 'hover', 'aria-hidden': true }, '\u00a0');
        readout.style.minHeight = `${1.45 * chosen.length}em`;
        root.append(host, readout, ratios(chosen, range));
        draw(host, readout, chosen, range, joined);
        main(range);
    } else {
        root.append(nothing('No curve is chosen.'));
    }
    root.append(facts(all));
}
