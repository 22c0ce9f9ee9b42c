/*
 * How the blocks of a kernel differ (scenario 2): the deviation of each from the typical one, and
 * those that the data has in full, one of them over the typical one.
 */
import { drawBars, fitCanvas } from '../bars.js';
import { Chart } from '../chart.js';
import { figures, h, select, style } from '../dom.js';
import { Explorer } from '../explorer.js';
import { count, real } from '../format.js';
import { Range } from '../range.js';
import { leftOut } from '../sections.js';
import { difference, series } from '../series.js';
import { index } from '../state.js';
import { table } from '../table.js';

export const name = 'Blocks';

const MANY = 2000; // blocks, from which on dots are small and quick to draw
const NEAR = 12; // pixels from a click to the dot that it means

const roles = { typical: '● typical', outlier: '◆ outlier', sample: 'sample' };
const blockName = row => `launch ${count(row.launch)}, block ${count(row.block)}`;
const role = row => h('span', { class: `role role-${row.role}` }, roles[row.role] ?? row.role);

/** The deviations as the lines of a chart: one for each way of drawing them. */
function dots(kernel) {
    const { deviation, limit, shown, typical } = kernel;
    const first = shown[typical], many = deviation.length > MANY;
    const isTypical = i =>
        first && kernel.launch[i] === first.launch && kernel.block[i] === first.block;
    const only = wanted => deviation.map((value, i) => wanted(value, i) ? value : null);
    return [
        { y: only(value => value <= limit), label: 'blocks', colour: '--accent', kind: 'dots',
          size: many ? 1 : 2, shape: many ? 'square' : 'circle' },
        { y: only(value => value > limit), label: 'outliers', colour: '--second', kind: 'dots',
          shape: 'diamond', size: 5 },
        { y: only((_, i) => isTypical(i)), label: 'typical', colour: '--accent', kind: 'dots',
          size: 6, hollow: true },
    ];
}

/** A line over the whole width at a deviation, with what it is at its left or right end. */
function level(u, value, label, align) {
    const { ctx, bbox } = u, pixel = devicePixelRatio, y = Math.round(u.valToPos(value, 'y', true));
    const right = bbox.left + bbox.width, margin = 4 * pixel;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = style('--text');
    ctx.setLineDash([5 * pixel, 4 * pixel]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(right, y);
    ctx.stroke();
    ctx.font = `${11 * pixel}px system-ui, sans-serif`;
    ctx.textAlign = align;
    ctx.textBaseline = 'bottom';
    ctx.fillText(label, align === 'left' ? bbox.left + margin : right - margin, y - margin / 2);
    ctx.restore();
}

/** The dot that is nearest to a place in the plot, if it is near. */
function nearest(kernel, u, left, top) {
    let best = -1, least = NEAR;
    const from = Math.max(0, Math.floor(u.posToVal(left - NEAR, 'x')));
    const to = Math.min(kernel.count - 1, Math.ceil(u.posToVal(left + NEAR, 'x')));
    for (let i = from; i <= to; i++) {
        const away =
            Math.hypot(u.valToPos(i, 'x') - left, u.valToPos(kernel.deviation[i], 'y') - top);
        if (away < least)
            [best, least] = [i, away];
    }
    return best;
}

function describe(kernel, i) {
    const outlier = kernel.deviation[i] > kernel.limit ? ', an outlier' : '';
    return `Launch ${count(kernel.launch[i])}, block ${count(kernel.block[i])} · ` +
        `deviation ${real(kernel.deviation[i])}${outlier}`;
}

/** The chart of all deviations; a click on a block that the data has in full chooses it. */
function deviations(host, readout, kernel, range, choose) {
    const chart = new Chart(host, {
        label: `Deviation of each of ${kernel.count} blocks from the typical one`,
        range, x: kernel.deviation.map((_, i) => i), lines: dots(kernel), height: 240,
        top: kernel.limit, xLabel: 'block, in the order of the run', yLabel: 'deviation',
        draw: u => {
            level(u, kernel.limit, `limit ${real(kernel.limit)}`, 'right');
            level(u, kernel.median, `median ${real(kernel.median)}`, 'left');
        },
        hover: (at, next, u) => {
            const i = at === null ? -1 : nearest(kernel, u, u.cursor.left, u.cursor.top);
            readout.textContent = i < 0 ? '\u00a0' : describe(kernel, i);
        },
    });
    chart.plot.over.addEventListener('click', () => {
        const i = nearest(kernel, chart.plot, chart.plot.cursor.left, chart.plot.cursor.top);
        const row = kernel.shown.findIndex(({ launch, block }) =>
            i >= 0 && launch === kernel.launch[i] && block === kernel.block[i]);
        if (row >= 0)
            choose(row);
        else if (i >= 0)
            readout.textContent = `${describe(kernel, i)} · its characteristic is not in the data`;
    });
}

/** Small pictures of the blocks that are there in full, all with the same axes. */
function thumbnails(kernel, chosen, choose) {
    const max = Math.max(1, ...kernel.shown.map(row => row.domain)) + 0.5;
    const top = Math.max(1, ...kernel.shown.map(row => row.peaks[0]?.degree ?? 0));
    const cards = kernel.shown.map((row, i) => {
        const canvas = h('canvas', { 'aria-hidden': true });
        const element = h('button', {
            class: 'block', id: `block-${i}`, 'aria-pressed': String(i === chosen),
            onclick: () => choose(i),
        },
        h('span', { class: 'card-head' }, h('span', {}, blockName(row)), role(row)), canvas,
        h('span', { class: 'quiet' }, `deviation ${real(row.deviation)}`));
        const colour = row.role === 'outlier' ? '--second' : '--accent';
        const draw = () => {
            fitCanvas(canvas);
            drawBars(canvas, series(row), {
                min: 0.5, max, share: degree => degree / top, colour: style(colour),
            });
        };
        return { element, draw };
    });
    return {
        element: h('div', { class: 'blocks' }, cards.map(card => card.element)),
        draw: () => cards.forEach(card => card.draw()),
    };
}

function shownTable(kernel, choose) {
    const rows = kernel.shown.map((row, i) => ({ ...row, i }));
    return table('Blocks that the data has in full', rows, [
        { title: 'block', text: true, value: row => row.i, show: row =>
            h('button', { class: 'plain', onclick: () => choose(row.i) }, blockName(row)) },
        { title: 'role', text: true, value: row => row.role, show: role },
        { title: 'deviation', value: row => row.deviation, show: row => real(row.deviation) },
        { title: 'domain', value: row => row.domain, show: row => count(row.domain) },
        { title: 'total degree', value: row => row.total, show: row => count(row.total) },
        { title: 'mean distance', value: row => row.mean, show: row => real(row.mean) },
        { title: 'class', text: true, value: row => row.class },
        { title: 'MIs', value: row => row.mis, show: row => count(row.mis) },
        { title: 'accesses', value: row => row.accesses, show: row => count(row.accesses) },
    ], { sort: 2, key: 'blocks' });
}

/** One block over the typical one, or the typical one alone. */
function enlarge(kernel, row, values, update) {
    const typical = kernel.shown[kernel.typical];
    const alone = row === typical || !typical;
    const lines = alone ? [{ series: series(row), colour: '--accent' }] : [
        { series: series(typical), colour: '--accent', name: `typical (${blockName(typical)})` },
        { series: series(row), colour: '--second', name: blockName(row) },
    ];
    const both = alone ? null : difference(series(typical), series(row));
    const domain = Math.max(row.domain, typical?.domain ?? 0, 1);
    return new Explorer({
        label: `Reuse degrees of ${blockName(row)}`, lines, domain,
        joined: both && { x: both.x, ys: [both.a, both.b] },
        from: Number(values.get('from') ?? 1), to: Number(values.get('to') ?? domain),
        log: values.get('y') === 'log',
        changed: (state, step) => update(state, { step }),
    });
}

export function render({ run, values, root, update, main }) {
    if (!run.blocks.length) {
        root.append(leftOut(run, 'reuse', 'No blocks to compare'));
        return;
    }
    const chosenKernel = index(values.get('kernel'), run.blocks.length);
    const kernel = run.blocks[chosenKernel];
    const first = kernel.shown.findIndex(row => row.role === 'outlier');
    const chosen = index(values.get('block'), kernel.shown.length, Math.max(0, first));
    const choose = i => update({ block: i + 1, from: null, to: null }, { redraw: true });
    root.append(
        h('div', { class: 'controls' }, select('Kernel',
            run.blocks.map(one => one.kernel), chosenKernel,
            i => update({ kernel: i + 1, block: null, from: null, to: null }, { redraw: true }))),
        figures([
            ['blocks', count(kernel.count), 'count'],
            ['outliers', count(kernel.outliers), 'outliers'],
            ['median deviation', real(kernel.median), 'median'],
            ['limit', real(kernel.limit), 'limit', 'A block that deviates more is an outlier'],
        ]),
        h('p', { class: 'quiet' }, 'Each block by itself (scenario 2). A deviation is 0 for a ' +
            'block like the typical one and 1 for one that has nothing in common with it. ' +
            'Diamonds are outliers, the ring is the typical block.'));
    if (!kernel.count)
        return;
    drawParts({ kernel, chosen, choose, values, root, update, main });
}

function drawParts({ kernel, chosen, choose, values, root, update, main }) {
    const host = h('div'), readout = h('output', { class: 'hover', 'aria-hidden': true }, '\u00a0');
    const range = new Range(0, kernel.count - 1);
    root.append(h('h2', {}, 'Deviation of each block'), host, readout);
    deviations(host, readout, kernel, range, choose);
    main(range);
    if (!kernel.shown.length)
        return;
    const small = thumbnails(kernel, chosen, choose);
    const explorer = enlarge(kernel, kernel.shown[chosen], values, update);
    root.append(
        h('h2', {}, 'Characteristics of some blocks'), small.element,
        h('h2', {}, blockName(kernel.shown[chosen])), explorer.element,
        shownTable(kernel, choose));
    small.draw();
    explorer.draw();
    main(explorer.range);
}
