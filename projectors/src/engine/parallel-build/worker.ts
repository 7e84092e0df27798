import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import {
  type BuildPart,
  type HeldLease,
  holdLease,
  type LeaseKey,
  type Postgres,
  readBuild,
  readOpenParts,
  resetUnsyncedParts,
} from '@popsvc/platform/postgres';
import type { ProjectionGeneration, RunnerDependencies } from '../dependencies.ts';
import { UnfoldableEvent } from '../parking/poison.ts';
import { createRestartCheck, LeaseLost, readServerStart } from '../run-ended.ts';
import type { BuildDependencies, Building, RunBuildWorkers } from './build.ts';
import { completeFacts, computeWindow, foldPart } from './parts.ts';
import { createPartReader } from './part-reader.ts';

/** Has everything done again that a restart of ClickHouse may have undone. */
export const reopenLostParts = async (
  { writer, postgres }: { readonly writer: ClickHouseWriter; readonly postgres: Postgres },
  key: LeaseKey,
): Promise<void> => {
  await resetUnsyncedParts(postgres, key, await readServerStart(writer));
};

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
const workOnParts = async (parts: BuildDependencies, building: Building, signal: AbortSignal): Promise<void> => {
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

/**
 * Has of what a generation was made of at once that part done again which a restart of ClickHouse may have undone. For who holds
 * its lease and goes on at `position`: from before the end of the build all is folded again anyway.
 */
export const repairBuild = async (
  parts: RunnerDependencies,
  { projection, generation }: ProjectionGeneration,
  position: bigint,
  signal: AbortSignal,
): Promise<void> => {
  const key = { projection: projection.name, generation };
  const build = await readBuild(parts.postgres, key);
  if (!build || !projection.parallelBuild || position < build.upTo) return;
  await reopenLostParts(parts, key);
  const open = await readOpenParts(parts.postgres, key);
  if (open.length === 0) return;
  parts.log.warn({ ...key, step: open[0]!.step, parts: open.length }, 'what ClickHouse may have lost is built again');
  await workOnParts(parts, { projection, generation }, signal);
};

/** So many parts at a time. A part is read while it is written, so that one keeps a process busy. */
export const buildInThisProcess =
  (parts: BuildDependencies, atATime = 1): RunBuildWorkers =>
  async (building, signal) => {
    // The first that fails ends the others.
    const life = new AbortController();
    const ending = AbortSignal.any([signal, life.signal]);
    const each = async () => {
      try {
        await workOnParts(parts, building, ending);
      } catch (error) {
        life.abort(error);
        throw error;
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: atATime }, each));
    signal.throwIfAborted();
    if (life.signal.aborted) throw life.signal.reason as Error;
    for (const end of ended) if (end.status === 'rejected') throw end.reason as Error;
  };
