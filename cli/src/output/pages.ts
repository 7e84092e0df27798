import { Option } from 'commander';
import { parseWholeNumber } from '../option-values.ts';

/** The option for the maximum number of rows of a list. `rows` is the noun in the help text, such as `jobs`. */
export const limitOption = (rows: string, standard: number): Option =>
  new Option('--limit <n>', `maximum number of ${rows}`).argParser(parseWholeNumber(1, 1_000)).default(standard);

export const afterOption = (): Option => new Option('--after <cursor>', 'continue after the previous page');

/** Returns a line such as `There are older jobs: --after CURSOR`; undefined on the last page. `note` is the part before the colon. */
export const nextPageNote = (
  { next_after: after }: { readonly next_after: string | null },
  note: string,
): string | undefined => (after === null ? undefined : `${note}: --after ${after}`);
