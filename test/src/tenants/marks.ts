/**
 * Every id, name and reference of the world tells whose it is: numbers are `70`, three digits for the network, five more; texts hold
 * `zq`, the number of the network, `x`. Nothing else in an answer has these forms.
 */
export const idOf = (network: number, thing = 0): number => 7_000_000_000 + network * 100_000 + thing;
export const textOf = (network: number, thing: string): string => `Zq${network}x ${thing}`;

const marks = /(?<![\d.])70(\d{3})\d{5}(?![\d.])|zq(\d+)x[\w -]*/gi;

/** Random digits may look like ours. */
const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

export interface Mark {
  readonly text: string;
  readonly network: number;
}

export const marksIn = (text: string): readonly Mark[] =>
  [...text.replace(uuids, 'UUID').matchAll(marks)].map(([whole, byId, byText]) => ({
    text: whole,
    network: Number(byId ?? byText),
  }));

/** The same text with all that tells things apart taken out: what two answers must have in common that tell nothing. */
export const unmarked = (text: string): string =>
  text
    .replace(uuids, 'UUID')
    .replace(marks, 'MARK')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'INSTANT');
