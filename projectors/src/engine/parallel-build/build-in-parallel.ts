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

/** Has the progress and the checkpoint of a generation say that it is made: from here on it is run like any other. */
const finishBuild = async (
  { store, writer, checkpoints, leases, owner }: BuildDependencies,
  { projection, generation, upTo, logId }: Building & BuildRecord,
): Promise<void> => {
  const key = { projection: projection.name, generation };
  const lease = await holdLease(leases, key, owner);
  if (!lease) throw new LeaseLost('somebody else holds the lease');
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
      throw new LeaseLost('the checkpoint was moved by somebody else');
  } finally {
    await lease.release();
  }
};

const standardPartEvents = 100_000;

/** What the build consists of, as it is written down or was before. Throws AnotherLog when it was begun on another one. */
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

/** Tells how far a build is, whoever works on it. Returns what ends that, with a last word. */
const reportBuildProgress = async (
  postgres: Postgres,
  key: LeaseKey,
  onProgress: (progress: BuildProgress) => void,
): Promise<() => Promise<void>> => {
  let told = (await readBuildProgress(postgres, key)).events;
  const tell = async () => {
    const { events, position, share, windows } = await readBuildProgress(postgres, key);
    // About as many events in what is left of the log as in what is done of it.
    const total = share > 0 ? { total: Math.round(events / share) } : {};
    const standing = { position, ...total, ...(windows.of > 0 && { windows }) };
    const since = events - told;
    told = events;
    onProgress({ events: since, ...standing });
  };
  const beat = () => void tell().catch(() => undefined);
  const timer = setInterval(beat, everyMs);
  return async () => {
    clearInterval(timer);
    await tell().catch(() => undefined);
  };
};

/**
 * Makes a generation of the whole log at once: its parts are written down, worked on by as many hands as there are, and become a
 * generation when none is left. Returns up to where it is made: a build that was begun before ends where it was to end then.
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
  const stopTelling = await reportBuildProgress(postgres, key, onProgress);
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
    await stopTelling();
  }
  await finishBuild(parts, { ...build, ...recorded });
  return recorded.upTo;
};
