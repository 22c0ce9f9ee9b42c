/*
 * One or two characteristics to walk through: the chart, the whole domain in small, the range in
 * figures that can be typed, what it sums up to, and its degrees as a table.
 */
import { Chart } from './chart.js';
import { checkbox, figures, h, style } from './dom.js';
import { count, real } from './format.js';
import { Range } from './range.js';
import { degreeAt, rangeFigures } from './series.js';
import { Strip } from './strip.js';

const PAGE = 50;

/** "Distance 12: 34" or, of many distances in a pixel, their sum and highest. */
function described({ series, name }, from, to) {
    const prefix = name ? `${name}: ` : '';
    if (from >= to)
        return `${prefix}degree ${count(degreeAt(series, from))}`;
    const { sum, peak } = rangeFigures(series, from, to);
    return `${prefix}sum ${count(sum)}` +
        (peak ? `, highest ${count(peak.degree)} at ${count(peak.distance)}` : '');
}

export class Explorer {
    /**
     * @param {Object} options label; lines, each with series, colour and, where there are two,
     *     name; joined: the x and ys of two; marks, as a Chart takes them; domain; from, to, log:
     *     what is shown at first; changed({from, to, y}, step)
     */
    constructor(options) {
        this.options = options;
        this.lines = options.lines;
        this.log = options.log ?? false;
        this.range = new Range(1, Math.max(1, options.domain));
        this.range.set(options.from ?? 1, options.to ?? options.domain);
        this.hovered = h('output', { class: 'hover', 'aria-hidden': true }, '\u00a0');
        this.summary = h('div', { 'aria-live': 'polite' });
        this.host = h('div');
        this.element = h('div', { class: 'explorer' },
            this.#controls(), this.#legend(), this.host, this.hovered,
            new Strip(this.range, this.lines).element, this.summary, this.#values());
        this.range.watch((range, step) => this.#changed(step));
        this.#summarise();
    }

    /** Draws; the element must be in the page. */
    draw() {
        const { x, ys } = this.options.joined ?? {
            x: this.lines[0].series.x, ys: [this.lines[0].series.y],
        };
        this.chart = new Chart(this.host, {
            label: `${this.options.label}. Drag, or press plus, minus, arrows or 0, to zoom.`,
            range: this.range, log: this.log, x,
            lines: this.lines.map(({ name, colour }, i) => ({
                y: ys[i], label: name ?? 'degree', colour, kind: 'bars',
                slot: i, of: this.lines.length, faint: this.lines.length > 1,
            })),
            xLabel: 'reuse distance (MIs)', yLabel: 'reuse degree', marks: this.options.marks,
            hover: (at, next) => this.#hover(at, next),
        });
    }

    #controls() {
        const number = end => {
            const box = h('input', {
                type: 'number', min: 1, max: this.range.high, 'data-range': end,
                onchange: () => {
                    this.range.set(Number(this.from.value), Number(this.to.value));
                    this.#summarise(); // what could not be obeyed goes
                },
            });
            this[end] = box;
            const name = h('span', {}, end === 'from' ? 'Distances' : 'to');
            return h('label', { class: 'field' }, name, box);
        };
        const button = (text, label, act) =>
            h('button', { 'aria-label': label, title: label, onclick: act }, text);
        return h('div', { class: 'controls' }, number('from'), number('to'),
            button('−', 'Show twice as many distances', () => this.range.zoom(2, true)),
            button('+', 'Show half as many distances', () => this.range.zoom(1 / 2, true)),
            button('All', 'Show all distances', () => this.range.reset()),
            checkbox('Logarithmic degree', this.log, log => {
                this.log = log;
                this.chart.setLog(log);
                this.#tell(true);
            }));
    }

    /** Which of two is which; where both have a degree their colours mix. */
    #legend() {
        if (this.lines.length < 2)
            return null;
        const key = colours => {
            const patch = h('span', { class: 'key' });
            const mixed = colours.map(colour => `${style(colour)}90`);
            patch.style.background =
                mixed.map(colour => `linear-gradient(${colour}, ${colour})`).join(', ');
            return patch;
        };
        const [a, b] = this.lines;
        const entries =
            [[[a.colour], a.name], [[b.colour], b.name], [[b.colour, a.colour], 'both']];
        return h('ul', { class: 'legend' },
            entries.map(([colours, name]) => h('li', {}, key(colours), name)));
    }

    #hover(at, next) {
        if (at === null) {
            this.hovered.textContent = '\u00a0';
            return;
        }
        const many = next - at > 1;
        const first = Math.max(1, many ? Math.ceil(at) : Math.round(at));
        const last = many ? Math.ceil(next) - 1 : first;
        const where = first < last ? `Distances ${count(first)} to ${count(last)}`
            : `Distance ${count(first)}`;
        this.hovered.textContent =
            `${where} · ${this.lines.map(line => described(line, first, last)).join(' · ')}`;
    }

    #changed(step) {
        this.#summarise();
        if (this.table.open)
            this.#fill(0);
        this.#tell(step);
    }

    #tell(step) {
        const { from, to, full } = this.range;
        this.options.changed?.(
            { from: full ? null : from, to: full ? null : to, y: this.log ? 'log' : null }, step);
    }

    #summarise() {
        const { from, to } = this.range;
        this.from.value = from;
        this.to.value = to;
        this.summary.replaceChildren(...this.lines.map(({ series, name }) => {
            const { sum, count: distances, mean, peak } = rangeFigures(series, from, to);
            return figures([
                [name ? `${name}, shown` : 'Shown', `${count(from)} to ${count(to)}`, 'range'],
                ['sum of degrees', count(sum), 'range-sum'],
                ['distances with reuse', count(distances), 'range-count'],
                ['mean distance', real(mean), 'range-mean'],
                ['highest degree',
                 peak ? `${count(peak.degree)} at ${count(peak.distance)}` : '–', 'range-peak'],
            ]);
        }));
    }

    /** The degrees of the range, a page at a time; filled when somebody opens it. */
    #values() {
        this.page = h('div', { 'data-table': 'degrees' });
        const toggled = () => this.table.open && this.#fill(0);
        this.table = h('details', { class: 'values', ontoggle: toggled },
            h('summary', {}, 'Degrees of this range as a table'), this.page);
        return this.table;
    }

    #fill(start) {
        const { from, to } = this.range;
        const x = this.options.joined?.x ?? this.lines[0].series.x;
        const { first, end } = rangeFigures({ x, y: x, sums: [] }, from, to);
        const rows = Array.from(x.subarray(first + start, Math.min(first + start + PAGE, end)));
        const turn = (text, next) => h('button', {
            disabled: next < 0 || next >= end - first, onclick: () => this.#fill(next),
        }, text);
        const cell = text => h('td', { class: 'number' }, text);
        const titles = ['distance', ...this.lines.map(line => line.name ?? 'degree')];
        const head = h('tr', {},
            titles.map(title => h('th', { class: 'number', scope: 'col' }, title)));
        const body = rows.map(distance => h('tr', {}, cell(count(distance)),
            this.lines.map(line => cell(count(degreeAt(line.series, distance))))));
        this.page.replaceChildren(
            h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Degrees' },
                h('table', {}, h('thead', {}, head), h('tbody', {}, body))),
            h('div', { class: 'controls' },
                turn('Previous', start - PAGE), turn('Next', start + PAGE),
                h('span', { class: 'quiet' }, rows.length
                    ? `${count(start + 1)} to ${count(start + rows.length)} of ${count(end - first)}`
                    : 'No distance of this range has a degree.')));
    }
}
