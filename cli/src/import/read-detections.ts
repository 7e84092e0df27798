import { createInterface } from 'node:readline';
import { Detection } from '@popsvc/contracts/commands';
import { Failure } from '../program/failure.ts';
import { openText } from './open-text.ts';
import { type Numbered, type Read, reasonOf } from './read.ts';

/** A line of NDJSON as a detection, or why it is none. */
export const detectionOfLine = (line: string): Read<Detection> => {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return { reason: `is not JSON: ${(error as Error).message}` };
  }
  const read = Detection.safeParse(value);
  return read.success ? { item: read.data, id: read.data.detectionId } : { reason: reasonOf(read.error) };
};

/** The detections of an NDJSON file, line by line; empty lines are passed over. */
export async function* readDetections(path: string): AsyncGenerator<Numbered<Detection>> {
  const bytes = await openText(path);
  const lines = createInterface({ input: bytes, crlfDelay: Infinity });
  let failure: Error | undefined;
  bytes.once('error', (error) => {
    failure = error;
    lines.close();
  });
  let row = 0;
  for await (const line of lines) {
    row += 1;
    if (line.trim() !== '') yield { row, ...detectionOfLine(line) };
  }
  if (failure) throw new Failure(`${path}: line ${row + 1} cannot be read: ${failure.message}`);
}
