import type { Readable } from 'node:stream';
import { withDeadline } from '../runtime/index.ts';

/**
 * Bytes as they come; a store that is silent for so long while somebody waits for the next ones is given up with an error. Whoever
 * reads slowly is not hurried.
 */
export async function* patientBytes(body: Readable, silentMs: number): AsyncGenerator<Uint8Array, void, void> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  try {
    for (;;) {
      const next = await withDeadline(chunks.next(), silentMs, 'reading the next bytes of a file');
      if (next.done) return;
      yield next.value;
    }
  } finally {
    body.destroy();
  }
}
