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

/** Reopens the parts of a build that a restart of ClickHouse may have lost. */
export const reopenLostParts = async (
  { writer, postgres }: { readonly writer: ClickHouseWriter; readonly postgres: Postgres },
  key: LeaseKey,
): Promise<void> => {
  await resetUnsyncedParts(postgres, key, await readServerStart(writer));
};

/** Consecutive failures before the worker gives up. */
const mostFailures = 8;
const longestPauseMs = 10_000;
/** Poll interval while all open parts are leased by other workers. */
const idleMs = 200;

const does = { facts: foldPart, rest: completeFacts, windows: computeWindow };

const idle = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => undefined);

interface Claimed {
  readonly part: BuildPart;
  readonly lease: HeldLease;
}

/** Claims and processes parts one after the other until none is left. */
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
      // The previous lease holder may have continued or finished the part since it was listed.
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
      if (!lease.isHeld()) throw new LeaseLost('the lease expired');
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
      log.warn({ err: error, ...key }, 'build part failed; it is retried');
      begun = undefined;
      await idle(Math.min(longestPauseMs, 250 * 2 ** failures), signal);
    }
  }
};

/**
 * Re-runs the parts of a parallel build that a ClickHouse restart may have lost. Called by the lease holder, which
 * continues at `position`; a run that starts before the end of the build folds everything again anyway.
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
  parts.log.warn({ ...key, step: open[0]!.step, parts: open.length }, 'rebuilding parts that ClickHouse may have lost');
  await workOnParts(parts, { projection, generation }, signal);
};

/** One part at a time by default: it is read while it is written, which keeps a process busy. */
export const buildInThisProcess =
  (parts: BuildDependencies, atATime = 1): RunBuildWorkers =>
  async (building, signal) => {
    // The first failure ends the other workers.
    const failure = new AbortController();
    const ending = AbortSignal.any([signal, failure.signal]);
    const each = async () => {
      try {
        await workOnParts(parts, building, ending);
      } catch (error) {
        failure.abort(error);
        throw error;
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: atATime }, each));
    signal.throwIfAborted();
    if (failure.signal.aborted) throw failure.signal.reason as Error;
    for (const end of ended) if (end.status === 'rejected') throw end.reason as Error;
  };
