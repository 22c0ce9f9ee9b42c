/*
 * The part of an axis that is shown. Charts, strips and inputs share one, and each hears of every
 * change; that is how they stay together.
 */

export class Range {
    /**
     * @param {number} low the axis: from here
     * @param {number} high to here
     * @param {{whole?: boolean, log?: boolean}} kind whole: integers, `from` to `to` with both;
     *     log: equal steps are equal factors
     */
    constructor(low, high, { whole = true, log = false } = {}) {
        this.low = low;
        this.high = Math.max(high, low);
        this.whole = whole;
        this.log = log;
        this.from = this.low;
        this.to = this.high;
        this.watchers = [];
    }

    /** Calls `changed(range, step)` after each change; step: worth a step of Back. */
    watch(changed) {
        this.watchers.push(changed);
    }

    get full() {
        return this.from === this.low && this.to === this.high;
    }

    /** Shows `from` to `to`, as far as the axis goes. */
    set(from, to, step = true) {
        [from, to] = from <= to ? [from, to] : [to, from];
        if (this.whole)
            [from, to] = [Math.round(from), Math.round(to)];
        const clamp = value => Math.min(Math.max(value, this.low), this.high);
        [from, to] = [clamp(from), clamp(to)];
        if (!Number.isFinite(from + to) || (!this.whole && from === to))
            return;
        if (from === this.from && to === this.to)
            return;
        [this.from, this.to] = [from, to];
        for (const changed of this.watchers)
            changed(this, step);
    }

    reset(step = true) {
        this.set(this.low, this.high, step);
    }

    /** Moves by a share of what is shown, and stops at the ends with its width kept. */
    pan(share, step = false) {
        const [from, to] = this.#even(this.from, this.to);
        const by = share * (to - from);
        const least = this.whole ? Math.sign(share) : 0;
        this.#start(from + (Math.abs(by) < Math.abs(least) ? least : by), step);
    }

    /** Shows as much as now, from `start` on or as near to that as the axis allows. */
    #start(start, step) {
        const [from, to, low, high] = this.#even(this.from, this.to, this.low, this.high);
        const wide = to - from;
        const first = Math.min(Math.max(this.whole ? Math.round(start) : start, low), high - wide);
        this.set(this.#back(first), this.#back(first + wide), step);
    }

    /** Shows `factor` times as much, with the same middle where that is possible. */
    zoom(factor, step = false) {
        const [from, to] = this.#even(this.from, this.to);
        const [low, high] = this.#even(this.low, this.high);
        const extra = this.whole ? 1 : 0; // 3 to 3 shows one integer
        let wide = (to - from + extra) * factor - extra;
        wide = this.whole ? Math.max(0, Math.round(wide)) : wide;
        wide = Math.min(wide, high - low);
        const start = Math.min(Math.max((from + to - wide) / 2, low), high - wide);
        const first = this.whole ? Math.floor(start) : start;
        this.set(this.#back(first), this.#back(first + wide), step);
    }

    /** Obeys a key; whether it was one that means something. */
    key(key) {
        const actions = {
            ArrowLeft: () => this.pan(-0.1),
            ArrowRight: () => this.pan(0.1),
            PageUp: () => this.pan(-0.9),
            PageDown: () => this.pan(0.9),
            Home: () => this.#start(-Infinity, false),
            End: () => this.#start(Infinity, false),
            '+': () => this.zoom(1 / 2),
            '=': () => this.zoom(1 / 2),
            '-': () => this.zoom(2),
            0: () => this.reset(false),
        };
        actions[key]?.();
        return key in actions;
    }

    #even(...values) {
        return this.log ? values.map(Math.log) : values;
    }

    #back(value) {
        return this.log ? Math.exp(value) : value;
    }
}
