/**
 * Every id, name and reference of the world contains its network: numbers are `70`, three digits for the network, five more; texts
 * contain `zq`, the number of the network, `x`. Nothing else in a response has these forms.
 */
export const idOf = (network: number, thing = 0): number => 7_000_000_000 + network * 100_000 + thing;
export const textOf = (network: number, thing: string): string => `Zq${network}x ${thing}`;

const marks = /(?<![\d.])70(\d{3})\d{5}(?![\d.])|zq(\d+)x[\w -]*/gi;

/** Random UUIDs may contain digits in the form of a mark. */
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

/** The text without ids, marks and times, so that two responses without entities can be compared. */
export const unmarked = (text: string): string =>
  text
    .replace(uuids, 'UUID')
    .replace(marks, 'MARK')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'INSTANT');
