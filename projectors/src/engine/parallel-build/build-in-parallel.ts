import { randomUUID } from 'node:crypto';
import { compileRowBinary, generationTable } from '@popsvc/platform/clickhouse';
import {
  beginBuild,
  type BuildRecord,
  completeBuild,
  holdLease,
  type LeaseKey,
  type NewBuildPart,
  type Postgres,
  readBuild,
  readBuildProgress,
} from '@popsvc/platform/postgres';
import { progress } from '@popsvc/read-models/tables';
import { readLogIdentity, requireSameLog } from '../event-log.ts';
import { createRestartCheck, LeaseLost, ServerRestarted } from '../run-ended.ts';
import type { BuildDependencies, Building, BuildProgress, BuildTarget } from './build.ts';
import { buildInThisProcess, reopenLostParts } from './worker.ts';

const progressRow = compileRowBinary(progress.fields);

/** Writes the progress and the checkpoint of a finished build. From here on the generation is run like any other. */
const finishBuild = async (
  { store, writer, checkpoints, leases, owner }: BuildDependencies,
  { projection, generation, upTo, logId }: Building & BuildRecord,
): Promise<void> => {
  const key = { projection: projection.name, generation };
  const lease = await holdLease(leases, key, owner);
  if (!lease) throw new LeaseLost('another process holds the lease');
  try {
    const batch = progressRow();
    const asOfMs = (await store.readEventAt(upTo))?.recordedAtMs ?? 0;
    const whole = { pos: upTo, as_of: asOfMs, rows: 0, epoch: 0n, written_at: Date.now() };
    batch.add({ ...key, ...whole });
    await writer.insert({
      table: generationTable(progress, 1),
      columns: Object.keys(progress.fields),
      body: batch.body(),
      token: randomUUID(),
    });
    const move = { ...key, epoch: lease.epoch, previous: 0n, to: upTo, logId, parked: [] };
    if (!(await checkpoints.advance({ ...move, inTransaction: (client) => completeBuild(client, key, upTo) })))
      throw new LeaseLost('another process moved the checkpoint');
  } finally {
    await lease.release();
  }
};

const standardPartEvents = 100_000;

/**
 * Records the parts of the build, or returns the recorded ones. Throws `LogMismatch` when they belong to another log.
 */
const planBuild = async (
  { store, postgres, partEvents: every = standardPartEvents }: BuildDependencies,
  { projection, generation, upTo }: BuildTarget,
  signal: AbortSignal,
): Promise<BuildRecord> => {
  const key = { projection: projection.name, generation };
  const [recorded, here] = [await readBuild(postgres, key), await readLogIdentity(store)];
  if (recorded) {
    requireSameLog(key, { position: recorded.upTo, logId: recorded.logId }, here);
    return recorded;
  }
  const { logId } = here;
  const facts: NewBuildPart[] = [];
  const add = (ends: bigint) => {
    facts.push({ starts: facts.at(-1)?.ends ?? 0n, ends, network: 0, slices: 1 });
  };
  for await (const mark of store.readSplitPositions({ every, upTo, signal })) add(mark);
  signal.throwIfAborted();
  add(upTo);
  await beginBuild(postgres, key, { upTo, logId }, facts);
  return { upTo, logId };
};

const everyMs = 500;

/** Reports the progress of all workers every 500 ms. Returns a function that stops it after a last report. */
const reportBuildProgress = async (
  postgres: Postgres,
  key: LeaseKey,
  onProgress: (progress: BuildProgress) => void,
): Promise<() => Promise<void>> => {
  let reported = (await readBuildProgress(postgres, key)).events;
  const report = async () => {
    const { events, position, share, windows } = await readBuildProgress(postgres, key);
    // Assumes that the rest of the log holds events as densely as the part that is done.
    const total = share > 0 ? { total: Math.round(events / share) } : {};
    const state = { position, ...total, ...(windows.of > 0 && { windows }) };
    const since = events - reported;
    reported = events;
    onProgress({ events: since, ...state });
  };
  const heartbeat = () => void report().catch(() => undefined);
  const timer = setInterval(heartbeat, everyMs);
  return async () => {
    clearInterval(timer);
    await report().catch(() => undefined);
  };
};

/**
 * Builds a generation from the whole log in parallel: records its parts, lets the workers process them, and writes the
 * checkpoint when none is left. Returns the last position it contains; a resumed build ends where it was planned to
 * end.
 */
export const buildInParallel = async (
  parts: BuildDependencies,
  build: BuildTarget,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<bigint> => {
  const { writer, postgres, runWorkers = buildInThisProcess(parts) } = parts;
  const key: LeaseKey = { projection: build.projection.name, generation: build.generation };
  await writer.assertSettings();
  const recorded = await planBuild(parts, build, signal);
  const stopReporting = await reportBuildProgress(postgres, key, onProgress);
  try {
    for (;;) {
      const assertSameServer = await createRestartCheck(writer);
      await reopenLostParts(parts, key);
      await runWorkers(build, signal);
      signal.throwIfAborted();
      const isSame = await assertSameServer().then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof ServerRestarted)) throw error;
          return false;
        },
      );
      if (isSame) break;
    }
  } finally {
    await stopReporting();
  }
  await finishBuild(parts, { ...build, ...recorded });
  return recorded.upTo;
};
