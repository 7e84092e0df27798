import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuildPart, holdLease, type HeldLease, readOpenParts } from '@popsvc/platform/postgres';
import { UnfoldableEvent } from '../parking/poison.ts';
import { LeaseLost } from '../final.ts';
import { createRestartCheck } from '../same-server.ts';
import type { Building, BuildDependencies } from './build.ts';
import { computeWindow } from './compute-window.ts';
import { reopenLostParts } from './distrust.ts';
import { foldPart } from './fold-part.ts';
import { completeFacts } from './make-rest.ts';
import { createPartReader } from './reader.ts';

/** So often in a row work may fail before it is given up. */
const mostFailures = 8;
const longestPauseMs = 10_000;
/** Between two looks whether there is something to do while others are at work. */
const idleMs = 200;

const does = { facts: foldPart, rest: completeFacts, windows: computeWindow };

const idle = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => undefined);

interface Claimed {
  readonly part: BuildPart;
  readonly lease: HeldLease;
}

/** One hand: takes part after part that nobody else has, until none is left. */
export const workOnParts = async (parts: BuildDependencies, building: Building, signal: AbortSignal): Promise<void> => {
  const { writer, postgres, leases, log } = parts;
  const { projection, generation } = building;
  const key = { projection: projection.name, generation };
  const owner = `${parts.owner}/${randomUUID()}`;
  const leaseOf = ({ step, part }: BuildPart) => ({ projection: `${projection.name}/${step}/${part}`, generation });

  const begin = async () => {
    const assertSameServer = await createRestartCheck(writer);
    await reopenLostParts(parts, key);
    return { assertSameServer, reader: await createPartReader({ ...parts, projection }) };
  };

  const claim = async (): Promise<Claimed | 'wait' | 'done'> => {
    const open = await readOpenParts(postgres, key);
    for (const part of open) {
      const lease = await holdLease(leases, leaseOf(part), owner);
      if (!lease) continue;
      // Who had it may have gone on, or done it, since it was listed.
      const now = (await readOpenParts(postgres, key)).find(
        (each) => each.step === part.step && each.part === part.part,
      );
      if (now) return { part: now, lease };
      await lease.remove();
    }
    return open.length === 0 ? 'done' : 'wait';
  };

  const doPart = async ({ part, lease }: Claimed, begun: Awaited<ReturnType<typeof begin>>) => {
    const assertHeld = () => {
      if (!lease.isHeld()) throw new LeaseLost('the lease ran out');
    };
    try {
      await does[part.step]({ ...parts, ...building, ...begun, key, part, assertHeld }, signal);
    } finally {
      await lease.remove();
    }
  };

  const isOver = () => signal.aborted;
  let begun: Awaited<ReturnType<typeof begin>> | undefined;
  for (let failures = 0; !isOver();) {
    try {
      begun ??= await begin();
      const claimed = await claim();
      if (claimed === 'done') return;
      if (claimed === 'wait') await idle(idleMs, signal);
      else await doPart(claimed, begun);
      failures = 0;
    } catch (error) {
      failures += 1;
      if (error instanceof UnfoldableEvent || failures >= mostFailures || isOver()) throw error;
      log.warn({ err: error, ...key }, 'a part of a build failed; it is begun again');
      begun = undefined;
      await idle(Math.min(longestPauseMs, 250 * 2 ** failures), signal);
    }
  }
};
