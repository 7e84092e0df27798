import type { DownloadFormat, Window } from '../asked/index.ts';

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '');

/** `coffee_20260801_20260901.csv`, by the UTC dates of the window's edges. */
export const fileName = (report: string, { from, to }: Window, format: DownloadFormat): string =>
  `${report}_${dayOf(from.ms)}_${dayOf(to.ms)}.${format}`;
