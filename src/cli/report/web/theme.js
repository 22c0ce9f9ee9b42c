/* Light or dark: as the reader's system has it, until the reader says otherwise. */

const KEY = 'heddle-report-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

/** What the reader chose, if the browser keeps anything for files. */
function chosen() {
    try {
        return localStorage.getItem(KEY);
    } catch {
        return null;
    }
}

function keep(theme) {
    try {
        localStorage.setItem(KEY, theme);
    } catch {
        // then it holds as long as the page
    }
}

function apply(theme) {
    document.documentElement.dataset.theme = theme;
}

/** Calls `redraw` when colours have changed, since canvases keep the old ones. */
export function begin(redraw) {
    apply(chosen() ?? (dark.matches ? 'dark' : 'light'));
    dark.addEventListener('change', () => {
        if (!chosen()) {
            apply(dark.matches ? 'dark' : 'light');
            redraw();
        }
    });
}

export function toggle() {
    const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    keep(theme);
    apply(theme);
}
