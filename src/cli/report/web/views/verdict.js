/* What to change, what that gains, the command that does it, and what the verdict rests on. */
import { bars, behind, named } from '../amounts.js';
import { h } from '../dom.js';
import { bytes, count, percent, real } from '../format.js';
import { headingId, leftOut } from '../sections.js';
import { table } from '../table.js';
import { gainText } from './time.js';

export const name = 'Verdict';

const LONG = 60; // letters of a layout that is set in small ones

const capital = text => text.charAt(0).toUpperCase() + text.slice(1);

/** The sentence, with the layout set apart from its words. */
function sentence({ text: all, basis, layout, leave }) {
    const text = all.replace(` (${basis})`, ''); // a paragraph of its own
    const [before, after] = leave ? [text] : text.split(layout.notation);
    if (after === undefined)
        return [capital(text)];
    const length = layout.notation.length > LONG ? 'long' : null;
    return [capital(before), h('code', { class: length }, layout.notation), after];
}

/** "76.4% fewer bytes move" */
function gain(before, after, what) {
    const share = 1 - after / before;
    if (!Number.isFinite(share) || Math.abs(share) < 0.0005)
        return `as many bytes ${what}`;
    return share > 0 ? `${percent(share)} fewer bytes ${what}` : `${percent(-share)} more bytes ${what}`;
}

function movedRow(title, moved, used) {
    return {
        name: title, figure: `${bytes(moved)}, ${percent(moved ? used / moved : null)} of it used`,
        parts: [{ value: Math.min(used, moved), kind: 'part-used' },
            { value: Math.max(0, moved - used), kind: 'part-unused' }],
    };
}

function movedBars({ verdict, totals }) {
    const used = totals.bytes_used, { before, after, original, layout } = verdict;
    const rows = [movedRow(['now, ', named(original)], before.bytes_moved, used)];
    if (after)
        rows.push(movedRow(['then, ', named(layout)], after.bytes_moved, used));
    return bars('Bytes moved between the kernels and memory, before and after', rows, [
        { kind: 'part-used', text: 'bytes that were asked for' },
        { kind: 'part-unused', text: 'bytes moved for nothing' },
    ]);
}

const dram = caches => caches && caches.dram_read + caches.dram_written;

function numbers({ verdict, totals, caches }) {
    const rows = [['now', verdict.original, verdict.before, caches?.original]];
    if (verdict.after)
        rows.push(['then', verdict.layout, verdict.after, caches?.layout]);
    return table('What moves, before and after', rows, [
        { title: 'when', text: true, value: ([when]) => when },
        { title: 'layout', text: true, value: row => row[1].notation },
        { title: 'transactions', value: row => row[2].transactions,
          show: row => count(row[2].transactions) },
        { title: 'moved, B', value: row => row[2].bytes_moved,
          show: row => count(row[2].bytes_moved) },
        { title: 'used', value: row => totals.bytes_used / row[2].bytes_moved,
          show: row => percent(totals.bytes_used / row[2].bytes_moved) },
        { title: 'DRAM, B', value: row => dram(row[3]) ?? null,
          show: row => row[3] ? count(dram(row[3])) : '–' },
    ], { sort: 0, descending: false, key: 'moved' });
}

function ranking({ verdict }) {
    return behind('Other layouts', table('Layouts by their cost, the best first',
        verdict.layouts.map(({ layout, ratio }, i) => ({ place: i + 1, layout, ratio })), [
            { title: 'place', value: row => row.place },
            { title: 'layout', text: true, value: row => row.layout.notation,
              show: row => h('div', { class: 'wide' }, h('code', {}, row.layout.notation)) },
            { title: `cost, to that of ${verdict.original.notation}`, value: row => row.ratio,
              show: row => real(row.ratio) },
        ], { sort: 0, descending: false, key: 'layouts' }));
}

function copyButton(text) {
    if (!navigator.clipboard)
        return null;
    const button = h('button', {
        onclick: async () => {
            await navigator.clipboard.writeText(text).then(
                () => { button.textContent = 'Copied'; },
                () => { button.textContent = 'Select it and copy by hand'; });
        },
    }, 'Copy');
    return button;
}

function command(text) {
    return text && h('div', { class: 'command' },
        h('pre', { tabindex: 0, role: 'region', 'aria-label': 'The command that does it' },
            h('code', { 'data-figure-text': 'command' }, text)),
        copyButton(text));
}

function reasons({ verdict }) {
    return verdict.reasons.length ? [
        h('h3', {}, 'The costliest accesses as they are'),
        h('ul', { class: 'reasons' }, verdict.reasons.map(({ access, line, why }) => h('li', {},
            h('strong', {}, access), line ? `, line ${line}: ` : ': ', why))),
    ] : [];
}

function gains({ verdict, caches, time, device }) {
    if (!verdict.after)
        return null;
    const texts = [gain(verdict.before.bytes_moved, verdict.after.bytes_moved, 'move')];
    if (caches?.layout)
        texts.push(gain(dram(caches.original), dram(caches.layout), 'from and to DRAM'));
    const predicted = time?.after ? ` Predicted on ${device.name}: ${gainText(time.gain)}.` : '';
    return h('p', { class: 'gain', 'data-figure-text': 'gain' },
        texts.map(capital).join('; '), `.${predicted}`);
}

const sure = ({ sampled, error }) => !sampled ? null : 'Of scattered accesses a sample was kept: ' +
    `what moves then is known to about ±${(100 * error).toPrecision(2)}%.`;

export function render({ run, section }) {
    const facts = [run.name, run.source && run.source !== run.name && `from ${run.source}`,
        `as on ${run.device.name}`].filter(Boolean).join('; ');
    section.append(h('p', { class: 'quiet about' }, facts));
    const { verdict } = run;
    section.append(h('h1', { id: headingId('verdict') }, verdict ? sentence(verdict) : run.name));
    if (!run.complete)
        section.append(h('p', { class: 'warning' },
            'The trace ends before the run did; all figures are of the part that it has.'));
    if (!verdict) {
        section.append(leftOut(run, 'verdict', 'No verdict, and no record'));
        return;
    }
    section.append(...[gains(run), movedBars(run), command(verdict.command)].filter(Boolean));
    const rests = [verdict.basis && `It rests on ${verdict.basis}.`,
        verdict.note && `${capital(verdict.note)}.`, sure(verdict)].filter(Boolean);
    if (rests.length)
        section.append(h('p', {}, rests.join(' ')));
    section.append(...reasons(run), behind('Before and after in numbers', numbers(run)), ranking(run));
}
