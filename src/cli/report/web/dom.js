/* Elements. Text always becomes a text node, so that no name in the data is ever markup. */

/**
 * An element. Attributes that are null or false are left out; `onclick` and the like take
 * functions; `class` and `aria-...` are written as in HTML.
 * @param {string} tag
 * @param {Object<string, *>} attributes
 * @param {...(Node|string|number|null|Array)} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith('on'))
            element.addEventListener(name.slice(2), value);
        else if (value !== null && value !== undefined && value !== false)
            element.setAttribute(name, value === true ? '' : value);
    }
    element.append(...children.flat().filter(child => child !== null && child !== undefined));
    return element;
}

/** The same of a picture. */
export function svg(tag, attributes = {}, ...children) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes))
        element.setAttribute(name, value);
    element.append(...children.flat());
    return element;
}

/** A drop-down list. `options` are its labels; `choose` gets the number of the chosen one. */
export function select(label, options, chosen, choose) {
    const id = `choose-${label.toLowerCase().replaceAll(' ', '-')}`;
    const list = h('select', { id, onchange: event => choose(event.target.selectedIndex) },
        options.map((text, i) => h('option', { selected: i === chosen }, text)));
    return h('label', { class: 'field' }, h('span', {}, label), list);
}

/** A check box with its label; with an `id` it keeps the focus when the view is drawn again. */
export function checkbox(label, checked, change, id = null) {
    const box = h('input', {
        type: 'checkbox', id, checked, onchange: event => change(event.target.checked),
    });
    return h('label', { class: 'check' }, box, label);
}

/** Terms with their figures: rows of [term, figure, key for the test or null, title]. */
export function figures(rows) {
    return h('dl', { class: 'figures' }, rows.map(([term, figure, key, title]) =>
        h('div', { 'data-figure': key, title }, h('dt', {}, term), h('dd', {}, figure))));
}

/** What stands where there is nothing to show. */
export const nothing = text => h('p', { class: 'nothing' }, text);

/** The value of a custom property of the style sheet. */
export const style = name =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();
