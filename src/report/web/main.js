/* The page: its head, and the view that the address names. */
import { unpack } from './data.js';
import { h, select } from './dom.js';
import { index, link, read, remember } from './state.js';
import * as reuse from './views/reuse.js';

const views = { reuse };
const FIRST = 'reuse';

const holder = document.getElementById('page');

function fail(error) {
    holder.replaceChildren(h('p', { class: 'notice', role: 'alert' },
        `This report cannot be shown: ${error.message}.`));
}

class Page {
    constructor(data) {
        this.data = data;
        this.root = h('main', { id: 'view', tabindex: -1 });
        this.head = h('header');
        holder.replaceChildren(this.head, this.root);
        addEventListener('popstate', () => this.draw());
        document.addEventListener('keydown', event => this.#key(event));
        this.draw();
    }

    draw() {
        const { view, values } = read();
        this.view = view in views ? view : FIRST;
        this.values = values;
        this.runIndex = index(values.get('run'), this.data.runs.length);
        this.range = null;
        this.#drawHead();
        this.root.replaceChildren();
        views[this.view].render({
            data: this.data, run: this.data.runs[this.runIndex], runIndex: this.runIndex, values, root: this.root,
            update: (changes, how) => this.update(changes, how),
            main: range => { this.range = range; },
        });
    }

    /** Values of the address change; redraw: the view must be drawn again. */
    update(changes, { step = true, redraw = false } = {}) {
        const values = { ...Object.fromEntries(read().values), ...changes };
        remember(link(this.view, values), step || redraw);
        if (redraw)
            this.draw();
    }

    #drawHead() {
        const run = this.runIndex ? { run: this.runIndex + 1 } : {};
        this.head.replaceChildren(
            h('strong', {}, 'Heddle report'),
            h('nav', { 'aria-label': 'Views' }, Object.entries(views).map(([id, view]) => h('a', {
                href: link(id, run), 'aria-current': id === this.view ? 'page' : null,
            }, view.name))),
            select('Run', this.data.runs.map(({ name }) => name), this.runIndex,
                i => {
                    remember(link(this.view, i ? { run: i + 1 } : {}), true);
                    this.draw();
                }));
    }

    #key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey ||
            event.target.closest('input, select, table, summary'))
            return;
        if (this.range?.key(event.key))
            event.preventDefault();
    }
}

try {
    new Page(await unpack());
} catch (error) {
    fail(error);
}
