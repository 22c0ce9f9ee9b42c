/* What keys and the mouse do. */
import { h } from './dom.js';

const rows = [
    ['drag over a chart', 'show what was dragged over'],
    ['double click, or 0', 'show all'],
    ['+  −', 'show half or twice as much'],
    ['←  →', 'move by a tenth of what is shown'],
    ['↑  ↓', 'the same, between addresses'],
    ['Page Up, Page Down', 'move by nearly all of what is shown'],
    ['Home, End', 'move to the beginning or the end'],
    ['Tab', 'go from chart to chart and to everything that can be used'],
    ['?', 'this help'],
];

export function makeHelp() {
    const close = h('button', { onclick: () => dialog.close() }, 'Close');
    const dialog = h('dialog', { 'aria-label': 'Help' },
        h('h2', {}, 'Keys and mouse'),
        h('table', {}, h('tbody', {}, rows.map(([keys, effect]) =>
            h('tr', {}, h('td', { class: 'text' }, keys), h('td', { class: 'text' }, effect))))),
        h('p', { class: 'quiet' }, 'Keys go to the chart that has the focus. While none has it, 0, ' +
            '+, − and the arrows to the left and right go to the main chart of the view.'),
        h('p', { class: 'quiet' }, 'The address of the page names the view and the range: a link to ' +
            'it leads to the same place, and Back to the one before.'),
        h('p', { class: 'quiet' }, 'Every figure is computed from the data in this file. Where ' +
            'distances are narrower than a pixel, a bar is as high as the highest of them.'),
        close);
    return dialog;
}
