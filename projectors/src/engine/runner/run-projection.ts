import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HeldLease, holdLease, type LeaseKey, type Queryable } from '@popsvc/platform/postgres';
import { reachFailPoint } from '@popsvc/platform/runtime';
import { runInSpan } from '@popsvc/platform/telemetry';
import { TooManyParked } from '../parking/poison.ts';
import { mendBuild } from '../parallel-build/mend.ts';
import { thisLog } from '../another-log.ts';
import type { Batch } from '../batch.ts';
import { batchSpan } from './batch-span.ts';
import { batches } from './batcher.ts';
import { beginBatch } from '../begin-batch.ts';
import { resumeFrom } from '../checkpoint.ts';
import { LeaseLost } from '../final.ts';
import { liveLimits } from '../limits.ts';
import type { Projection } from '../projection.ts';
import type { RunnerParts, Which } from '../runner-parts.ts';
import { sameServer } from '../same-server.ts';
import { startFold } from './start-fold.ts';
import { trailsRead } from './trails-read.ts';
import { unlessSilent } from '../unless-silent.ts';
import { standardWindowRows } from '../windows.sql.ts';
import { isWorthRetrying, writeBatch } from '../write-batch.ts';

const attempts = 3;

const pauseMs = 250;

const written = async (write: () => Promise<void>): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await write();
      return;
    } catch (error) {
      if (attempt === attempts || !isWorthRetrying(error)) throw error;
      await sleep(pauseMs * attempt);
    }
  }
};

const writeAll = async (parts: RunnerParts, which: Which, lease: HeldLease, signal: AbortSignal) => {
  const { store, writer, checkpoints, log, limits = liveLimits } = parts;
  const { projection, generation } = which;
  const key: LeaseKey = { projection: projection.name, generation };
  await writer.assertSettings();
  const assertSameServer = await sameServer(writer);
  const here = await thisLog(store);
  const { position, recorded, reached, cuts } = await resumeFrom({ checkpoints, writer, here }, key);
  await mendBuild(parts, which, position, signal);
  if (signal.aborted) return;
  const { fold, intake } = await startFold(parts, which, position, signal);
  log.info({ projection: projection.name, generation, position: position.toString() }, 'projecting');
  const assertHeld = () => {
    if (!lease.isHeld()) throw new LeaseLost('the lease ran out');
  };
  const incarnation = randomUUID();
  const { windowRows = standardWindowRows } = limits;
  const held = { epoch: lease.epoch, incarnation, assertHeld, assertSameServer };
  const to = { projection, generation, windowRows, reached, writer, ...held };
  const { reads: prefixes } = projection;
  const after = position === 0n ? 'start' : position;
  const source = unlessSilent((ending) => store.subscribe({ after, prefixes, signal: ending }), signal, parts.patience);
  const trails = trailsRead(source);
  let previous = recorded;
  /** Whether it was; else it was never begun. */
  const take = async (batch: Batch): Promise<boolean> => {
    const { upTo, parked, settled } = batch;
    const move = { ...key, epoch: lease.epoch, previous, to: upTo, logId: here.logId || (await store.readLogId()) };
    reachFailPoint('before-begin', projection.name);
    if (!(await beginBatch(checkpoints, move, assertHeld, signal))) return false;
    await written(() => writeBatch(to, batch.sealed, batch));
    const also = parts.alongside && ((client: Queryable) => parts.alongside!(client, batch));
    if (!(await checkpoints.advance({ ...move, parked, settled, ...(also && { inTransaction: also }) })))
      throw new LeaseLost('the checkpoint was moved by somebody else');
    reachFailPoint('after-checkpoint', projection.name);
    return true;
  };
  for await (const batch of batches(trails.source, fold, intake, { start: position, cuts, limits })) {
    const span = () => batchSpan(which, batch, trails.takeUpTo(batch.upTo));
    if (!(await runInSpan(span, () => take(batch)))) return;
    previous = batch.upTo;
    parts.onBatch?.(projection, batch, generation);
  }
};

/**
 * One incarnation: takes the lease, goes on from the checkpoint, and writes batch after batch (that it is begun, facts, what
 * follows from them, progress, checkpoint) until the signal. Throws when it cannot go on; the next one starts from what is safe.
 */
export const runIncarnation = async (
  parts: RunnerParts,
  projection: Projection,
  generation: number,
  signal: AbortSignal,
): Promise<void> => {
  const key: LeaseKey = { projection: projection.name, generation };
  const lease = await holdLease(parts.leases, key, parts.owner, parts.leaseMs);
  if (!lease) throw new LeaseLost('somebody else holds the lease');
  // What this life follows ends with it, however it ends.
  const life = new AbortController();
  try {
    await writeAll(parts, { projection, generation }, lease, AbortSignal.any([signal, life.signal]));
  } catch (error) {
    if (error instanceof TooManyParked) await parts.checkpoints.stopParking(key, error.position);
    throw error;
  } finally {
    life.abort();
    await lease.release();
  }
};
