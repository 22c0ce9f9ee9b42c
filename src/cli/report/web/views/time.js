/* What the kernels are predicted to take, now and then, what bounds them, and under which roof. */
import { bars, named } from '../amounts.js';
import { h, svg } from '../dom.js';
import { digits, percent, seconds } from '../format.js';
import { drawRoofline, placesOf, roofsOf } from '../roofline.js';
import { heading, leftOut } from '../sections.js';
import { table } from '../table.js';

export const name = 'Time';

/** "1.6 to 2 times faster": where it lies four times of five. */
export function gainText({ low, high }) {
    const between = (from, to) => `${digits(from, 2)} to ${digits(to, 2)} times`;
    if (low > 1)
        return `${between(low, high)} faster`;
    return high < 1 ? `${between(1 / high, 1 / low)} slower`
        : `about as fast (${between(low, high)})`;
}

const bound = time => `${time.bound}, ${percent(time.share)}`;

function sentence({ time, device }) {
    const { before, after, gain, program, copies, conversions } = time;
    const now = `Predicted on ${device.name}: ${seconds(before.seconds)}, ` +
        `between ${seconds(before.low)} and ${seconds(before.high)}`;
    if (!after)
        return `${now}.`;
    const besides = [copies && `${seconds(copies)} of copies`,
        conversions && `${seconds(conversions)} of conversions`].filter(Boolean).join(' and ');
    return `${now}; then ${seconds(after.seconds)}: ${gainText(gain)}.` +
        (besides ? ` With ${besides}, run once: ${gainText(program)}.` : '');
}

function timeBars({ time, verdict }) {
    const row = (title, of) => ({ name: title, figure: `${seconds(of.seconds)}: ${bound(of)}`,
        parts: [{ value: 1e12 * of.seconds, kind: 'part-used' }] }); // bars take wholes
    const rows = [row(['now, ', named(verdict.original)], time.before)];
    if (time.after)
        rows.push(row(['then, ', named(verdict.layout)], time.after));
    return bars('Predicted time, before and after', rows, []);
}

const column = (title, value, show) => ({ title, value: row => value(row) ?? null,
    show: row => { const at = value(row); return at === null || at === undefined ? '–' : show(at); } });

function kernels({ kernels: list, after }, places) {
    const of = new Map(places.map(place => [place.kernel, place]));
    const both = (when, time, place) => [
        column(when, row => row[time]?.seconds, seconds),
        { title: `bound by, ${when}`, text: true, value: row => row[time] && bound(row[time]) },
        column(`flop/B, ${when}`, row => of.get(row)[place]?.x, digits),
        column(`Gflop/s, ${when}`, row => of.get(row)[place] ? of.get(row)[place].y / 1e9 : null, digits),
    ];
    return table('Kernels, those that take longest first; a bound with its share of the time', list, [
        { title: 'kernel', text: true, value: row => row.kernel },
        column('runs', row => row.runs, digits),
        ...both('now', 'before', 'now'), ...after ? both('then', 'after', 'then') : [],
    ], { sort: 2, key: 'times' });
}

function key(kind, text) {
    const mark = kind === 'dot-now' ? svg('circle', { cx: 8, cy: 8, r: 5.5, class: kind })
        : svg('path', { d: 'M1 8L8 1L15 8L8 15Z', class: kind });
    return h('li', {}, svg('svg', { viewBox: '0 0 16 16' }, mark), text);
}

function roofline({ time, device }, places) {
    const seen = places.filter(({ now, then }) => now || then), host = h('div');
    const unseen = places.filter(place => !seen.includes(place)).map(({ kernel }) => kernel.kernel);
    const apart = unseen.length ? [h('p', { class: 'quiet' }, 'Without floating-point operations, and so ' +
        `in no place of it: ${unseen.join(', ')}.`)] : [];
    if (!seen.length)
        return apart;
    const roofs = roofsOf(time);
    const list = [...roofs.memories, ...roofs.units].map(({ text }) => text).join(', ');
    drawRoofline(host, seen, roofs, `Roofline of ${device.name}: ${list}. The table has its kernels.`);
    return [
        h('h3', {}, `The roofs of ${device.name}`),
        host,
        h('ul', { class: 'legend', 'aria-hidden': true }, key('dot-now', 'a kernel now'),
            time.after && key('dot-then', 'then')),
        ...apart,
        h('p', { class: 'quiet' }, 'A multiply-add is two operations. What stands on the slope of DRAM ' +
            'is as fast as memory allows; the line of L2 is for bytes that come from there instead. ' +
            'What moves no byte of DRAM stands at the right edge.'),
    ];
}

export function render({ run, section }) {
    section.append(heading('time', name));
    if (!run.time) {
        section.append(leftOut(run, 'time', 'No time is predicted'));
        return;
    }
    const places = run.time.kernels.map(placesOf);
    section.append(h('p', { 'data-figure-text': 'time' }, sentence(run)), timeBars(run),
        ...roofline(run, places), kernels(run.time, places));
}
