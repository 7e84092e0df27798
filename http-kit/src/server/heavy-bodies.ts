import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import type { RefusedRequests } from './refused-requests.ts';

/** Bytes of a body that keeps the event loop busy for a few ms at most. */
const smallBodyBytes = { plain: 65_536, compressed: 4_096 };

export const isHeavyBody = (headers: IncomingHttpHeaders): boolean => {
  const small = smallBodyBytes[headers['content-encoding'] === undefined ? 'plain' : 'compressed'];
  return !(Number(headers['content-length'] ?? Infinity) <= small);
};

const ignore = () => undefined;

export const estimateTransferMs = (bytes: number): number => bytes / 100_000;

/** Decompresses and parses the large bodies of a caller one at a time, so that other requests run between them. */
export class HeavyBodies {
  readonly #refused: Pick<RefusedRequests, 'requireAllowance'>;
  readonly #lastByCaller = new Map<string, Promise<unknown>>();

  constructor(refused: Pick<RefusedRequests, 'requireAllowance'>) {
    this.#refused = refused;
  }

  /** Throws RATE_LIMITED while the caller's refused requests have cost too much. */
  async run<Done>(caller: string, work: () => Done | Promise<Done>): Promise<Done> {
    const previous = this.#lastByCaller.get(caller);
    const done = (async () => {
      await previous;
      await nextEventLoopTurn();
      this.#refused.requireAllowance(caller);
      return work();
    })();
    const settled = done.then(ignore, ignore);
    this.#lastByCaller.set(caller, settled);
    try {
      return await done;
    } finally {
      if (this.#lastByCaller.get(caller) === settled) this.#lastByCaller.delete(caller);
    }
  }
}
