import { Option } from 'commander';
import { parseWholeNumber } from '../option-values.ts';

/** `rows` is the noun in the help text, such as `jobs`. */
export const limitOption = (rows: string, standard: number): Option =>
  new Option('--limit <n>', `maximum number of ${rows}`).argParser(parseWholeNumber(1, 1_000)).default(standard);

export const afterOption = (): Option => new Option('--after <cursor>', 'continue after the previous page');

/** For example, `There are older jobs: --after CURSOR`. */
export const nextPageNote = (
  { next_after: after }: { readonly next_after: string | null },
  note: string,
): string | undefined => (after === null ? undefined : `${note}: --after ${after}`);
