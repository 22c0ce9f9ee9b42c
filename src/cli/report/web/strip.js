/*
 * The whole of an axis in small, with the part that is shown in a frame that can be moved. Heights
 * are square roots of degrees, so that small ones are not lost.
 */
import { drawBars, fitCanvas } from './bars.js';
import { h, style } from './dom.js';

export class Strip {
    /**
     * @param {Range} range
     * @param {{series: {x, y}, colour: string}[]} lines
     */
    constructor(range, lines) {
        this.range = range;
        this.lines = lines;
        this.canvas = h('canvas', { 'aria-hidden': true });
        this.window = h('div', { class: 'window' });
        this.element = h('div', { class: 'strip', title: 'All distances; drag to move the range' },
            this.canvas, this.window);
        this.element.addEventListener('pointerdown', event => this.#begin(event));
        range.watch(() => this.#place());
        new ResizeObserver(() => this.#draw()).observe(this.element);
        this.#place();
    }

    get #wide() {
        return this.range.high - this.range.low + 1;
    }

    #draw() {
        fitCanvas(this.canvas);
        const top = Math.max(1, ...this.lines.map(({ series }) =>
            series.y.reduce((most, value) => Math.max(most, value), 0)));
        for (const { series, colour } of this.lines)
            drawBars(this.canvas, series, {
                min: this.range.low - 0.5, max: this.range.high + 0.5,
                share: degree => Math.sqrt(degree / top),
                colour: style(colour) + (this.lines.length > 1 ? '90' : ''),
            });
    }

    #place() {
        const { low, from, to } = this.range;
        this.window.style.left = `${100 * (from - low) / this.#wide}%`;
        this.window.style.width = `${100 * (to - from + 1) / this.#wide}%`;
    }

    /** Moves the middle of the frame under the pointer until that is let go. */
    #begin(event) {
        const box = this.element.getBoundingClientRect();
        const follow = ({ clientX }) => {
            const middle = this.range.low + (clientX - box.left) / box.width * this.#wide;
            this.range.pan((middle - (this.range.from + this.range.to) / 2) /
                           Math.max(1, this.range.to - this.range.from));
        };
        this.element.setPointerCapture(event.pointerId);
        this.element.addEventListener('pointermove', follow);
        this.element.addEventListener('pointerup', () =>
            this.element.removeEventListener('pointermove', follow), { once: true });
        follow(event);
    }
}
