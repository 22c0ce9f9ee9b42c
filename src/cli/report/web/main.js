/*
 * The page: its head, and the view that the address names.
 *
 *     data.js ── unpacks ──► this file ── draws ──► views/NAME.js
 *                                                     │
 *          sections.js: the first view's five, one below the other; amounts.js: their bars
 *          explorer.js: characteristics to walk through, of chart.js and strip.js
 *          roofline.js, heatmap.js, table.js
 *
 * A view is a name and render(context), which appends to `root` what there is to see of a run. The
 * first five are sections of one: each appends to `section`, and its name in the address leads there.
 * A Range (range.js) is the part of an axis that is shown; charts draw it, keys and drags change
 * it. series.js computes every figure that is not in the data as it stands; bars.js draws many
 * values on few pixels. state.js has what the address says, format.js how figures look.
 */
import { unpack } from './data.js';
import { h, select } from './dom.js';
import { makeHelp } from './help.js';
import { headingId } from './sections.js';
import { index, link, read, remember } from './state.js';
import * as theme from './theme.js';
import * as addresses from './views/addresses.js';
import * as blocks from './views/blocks.js';
import * as cache from './views/cache.js';
import * as caches from './views/caches.js';
import * as compare from './views/compare.js';
import * as counts from './views/counts.js';
import * as record from './views/record.js';
import * as reuse from './views/reuse.js';
import * as scenarios from './views/scenarios.js';
import * as source from './views/source.js';
import * as time from './views/time.js';
import * as verdict from './views/verdict.js';

const sections = { verdict, time, record, source, caches };
/** Those behind "Reuse", the first of them. */
const behindReuse = { reuse, scenarios, blocks, compare, cache, addresses };
const views = { ...sections, counts, ...behindReuse };
const FIRST = 'verdict';
/** Keys that a chart obeys without having the focus; others move the page. */
const KEYS = ['ArrowLeft', 'ArrowRight', '+', '=', '-', '0'];

const holder = document.getElementById('page');

function fail(error) {
    holder.replaceChildren(h('p', { class: 'notice', role: 'alert' },
        `This report cannot be shown: ${error.message}.`));
}

class Page {
    constructor(data) {
        this.data = data;
        this.places = {}; // where the reader was in each view of this run
        this.root = h('main', { id: 'view' });
        this.help = makeHelp();
        theme.begin(() => this.#redraw());
        holder.replaceChildren(this.#makeHead(), this.root, this.help);
        addEventListener('popstate', () => this.draw());
        document.addEventListener('keydown', event => this.#key(event));
        this.draw();
    }

    /** Draws what the address says, and leaves the focus where it was. */
    draw() {
        const { view, values } = read();
        const focused = document.activeElement?.id;
        this.view = Object.hasOwn(views, view) ? view : FIRST;
        this.run = index(values.get('run'), this.data.runs.length);
        this.range = null;
        const context = {
            data: this.data, run: this.data.runs[this.run], runIndex: this.run, values,
            root: this.root,
            update: (changes, how) => this.update(changes, how),
            main: range => { this.range = range; },
        };
        if (Object.hasOwn(sections, this.view))
            this.#renderSections(context);
        else
            this.#renderView(context);
        this.#mark(values);
        if (focused && focused !== 'view')
            document.getElementById(focused)?.focus({ preventScroll: true });
    }

    #renderView(context) {
        const { name, render } = views[this.view];
        this.root.replaceChildren(h('h1', { class: 'spoken' }, `${name}, ${context.run.name}`));
        render(context);
    }

    /** All sections, and to the one that the address names when it is new there. */
    #renderSections(context) {
        const elements = Object.entries(sections).map(([id, { render }]) => {
            const section = h('section', { 'aria-labelledby': headingId(id), class: 'part' });
            render({ ...context, section });
            return section;
        });
        this.root.replaceChildren(...elements);
        const place = `${this.run} ${this.view}`;
        if (place === this.place)
            return;
        this.place = place;
        if (this.view === FIRST)
            scrollTo(0, 0);
        else
            document.getElementById(headingId(this.view)).scrollIntoView();
    }

    /**
     * Values of the address change. step: Back leads to the ones before; redraw: the view must be
     * drawn again.
     */
    update(changes, { step = true, redraw = false } = {}) {
        this.state = { ...this.state, ...changes };
        const hash = link(this.view, this.state);
        this.places[this.view] = hash;
        this.links[this.view].href = hash;
        remember(hash, step || redraw);
        if (redraw)
            this.#redraw();
    }

    /** The same view, with the page where it is: an empty one has no height, and would lose it. */
    #redraw() {
        const { scrollY } = window;
        this.draw();
        scrollTo(0, scrollY);
    }

    #makeHead() {
        const button = (text, label, act) =>
            h('button', { 'aria-label': label, title: label, onclick: act }, text);
        this.links = Object.fromEntries(Object.entries(views).map(([id, { name }]) =>
            [id, h('a', { href: link(id, {}) }, name)]));
        const reuseLinks = Object.keys(behindReuse).map(id => this.links[id]);
        this.reuseLink = h('a', { href: link('reuse', {}) }, 'Reuse');
        this.reuseNav = h('nav', { 'aria-label': 'Reuse', class: 'second' }, reuseLinks);
        this.runs = this.data.runs.length < 2 ? null
            : select('Run', this.data.runs.map(({ name }, i) => `${i + 1}: ${name}`), 0,
                i => this.#show(i));
        return h('header', {},
            h('strong', { title: `written by Heddle ${this.data.heddle}` }, 'Heddle report'),
            h('nav', { 'aria-label': 'Views' }, Object.values(this.links)
                .filter(element => !reuseLinks.includes(element)), this.reuseLink),
            this.runs,
            h('div', { class: 'tools' },
                button('◐', 'Light or dark', () => { theme.toggle(); this.#redraw(); }),
                button('?', 'Help', () => this.help.showModal())),
            this.reuseNav);
    }

    /** The same view of another run. */
    #show(run) {
        remember(link(this.view, { run: run ? run + 1 : null }), true);
        this.draw();
    }

    /** The head shows where the page is, and leads to where the reader was in other views. */
    #mark(values) {
        const run = this.run ? this.run + 1 : null;
        if (this.marked !== this.run)
            this.places = {};
        this.marked = this.run;
        this.state = { ...Object.fromEntries(values), run };
        this.places[this.view] = link(this.view, this.state);
        for (const [id, element] of Object.entries(this.links)) {
            element.href = this.places[id] ?? link(id, { run });
            element.toggleAttribute('aria-current', false);
        }
        const inReuse = Object.hasOwn(behindReuse, this.view);
        this.links[this.view].setAttribute('aria-current', 'page');
        this.reuseLink.href = link('reuse', { run });
        this.reuseLink.toggleAttribute('aria-current', inReuse);
        this.reuseNav.hidden = !inReuse;
        if (!Object.hasOwn(sections, this.view))
            this.place = null;
        if (this.runs)
            this.runs.querySelector('select').selectedIndex = this.run;
        document.title = `${this.data.runs[this.run].name} – Heddle report`;
    }

    #key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey || this.help.open ||
            event.target.closest('input, select, summary, .scroll'))
            return;
        if (event.key === '?')
            this.help.showModal();
        else if (!KEYS.includes(event.key) || !this.range?.key(event.key))
            return;
        event.preventDefault();
    }
}

try {
    const data = await unpack();
    if (!data.runs.length)
        throw new Error('it has no run');
    new Page(data);
} catch (error) {
    fail(error);
}
