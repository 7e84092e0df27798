import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure } from './failure.ts';

/** Passes bytes to standard output as they come. A reader that has enough, such as `head`, ends it in peace. */
export const pass = async (source: Readable): Promise<void> => {
  try {
    await pipeline(source, process.stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return;
    throw new Failure(`The answer was cut short: ${error instanceof Error ? error.message : String(error)}`);
  }
};
