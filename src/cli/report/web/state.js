/*
 * Where the reader is, in the address: #view?name=value&... A link to it leads there, and Back
 * leads to where one was.
 */

let waiting = 0;

/** @returns {{view: string, values: URLSearchParams}} */
export function read() {
    clearTimeout(waiting);
    const [view, query = ''] = location.hash.slice(1).split('?');
    return { view, values: new URLSearchParams(query) };
}

/** The hash of a view with values; those that are null are left out. */
export function link(view, values) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(values))
        if (value !== null && value !== undefined)
            query.set(name, value);
    const text = query.toString();
    return `#${view}${text && '?'}${text}`;
}

/** Goes to a hash without drawing anything: as a new step for Back, or in place of this one. */
export function remember(hash, step) {
    clearTimeout(waiting);
    if (hash === location.hash)
        return;
    if (step)
        history.pushState(null, '', hash);
    else // keys repeat, and browsers limit how often an address may change
        waiting = setTimeout(() => history.replaceState(null, '', hash), 120);
}

/** A whole number from 1 on as an index; `fallback` when it is none below `count`. */
export function index(text, count, fallback = 0) {
    const value = Number(text) - 1;
    return text && Number.isInteger(value) && value >= 0 && value < count ? value : fallback;
}
