import type { Headers } from '@popsvc/platform/http';
import type { ProgressOf } from './progress.ts';

/** The header that says until when everything received is in a report; none while that is not known. */
export type AsOf = (projection: string) => Promise<Headers>;

export const asOf =
  (progressOf: ProgressOf): AsOf =>
  async (projection) => {
    const progress = await progressOf(projection);
    return progress ? { 'X-Data-As-Of': new Date(progress.asOfMs).toISOString() } : {};
  };
