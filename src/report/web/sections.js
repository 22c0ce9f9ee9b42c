/* What views and the sections of the first one share. */
import { h, nothing } from './dom.js';

/** One line in the place of what the run has nothing for. */
export function leftOut(run, section, what) {
    const why = run.left_out.find(row => row.section === section)?.why;
    return nothing(why ? `${what}: ${why}.` : `${what}.`);
}

/** The heading of a section, which the head of the page leads to. */
export const heading = (id, ...text) => h('h2', { id }, text);
