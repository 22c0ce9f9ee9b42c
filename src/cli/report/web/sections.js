/* What views and the sections of the first one share. */
import { h, nothing } from './dom.js';

/** One line in the place of what the run has nothing for. */
export function leftOut(run, section, what) {
    const why = run.left_out.find(row => row.section === section)?.why;
    return nothing(why ? `${what}: ${why}.` : `${what}.`);
}

/** The id of a section's heading: not the section's name, which browsers would go to by themselves. */
export const headingId = section => `in-${section}`;

/** The heading of a section, which the head of the page leads to. */
export const heading = (section, ...text) => h('h2', { id: headingId(section) }, text);
