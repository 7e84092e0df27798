import type { ResponseHeaders } from '@popsvc/platform/http';
import type { Progress } from './progress.ts';

/** The header that says until when everything received is in an answer; none while that is not known. */
export const asOfHeader = (progress: Progress | undefined): ResponseHeaders =>
  progress ? { 'X-Data-As-Of': new Date(progress.asOfMs).toISOString() } : {};
