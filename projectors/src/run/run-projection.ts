import { randomUUID } from 'node:crypto';
import type { EventStore } from '@popsvc/platform/event-store';
import type { Writer } from '@popsvc/platform/read-store';
import type { Checkpoints, LeaseKey, Leases } from '@popsvc/platform/records';
import type { Log } from '@popsvc/platform/runtime';
import { type Batch, batches, type Limits, liveLimits } from './batcher.ts';
import { resumeFrom } from './checkpoint.ts';
import { holdLease, type HeldLease } from './hold-lease.ts';
import type { Projection } from './projection.ts';
import { recall } from './recall.ts';
import { isWorthRetrying, writeBatch } from './write-batch.ts';

export interface RunnerParts {
  readonly store: EventStore;
  readonly writer: Writer;
  readonly checkpoints: Checkpoints;
  readonly leases: Leases;
  readonly log: Log;
  /** The same name takes its own leases over at once; two processes that run at a time need two names. */
  readonly owner: string;
  readonly limits?: Limits;
  readonly onBatch?: (projection: Projection, batch: Batch) => void;
}

/** The lease is held by somebody else or was lost: this incarnation writes nothing more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

const attempts = 3;

const written = async (lease: HeldLease, write: () => Promise<void>): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    if (!lease.isHeld()) throw new LeaseLost('the lease ran out');
    try {
      await write();
      return;
    } catch (error) {
      if (attempt === attempts || !isWorthRetrying(error)) throw error;
    }
  }
};

/**
 * One incarnation: takes the lease, goes on from the checkpoint, and writes batch after batch (facts, what follows from
 * them, progress, checkpoint) until the signal. Throws when it cannot go on; the next incarnation starts from what is safe.
 */
export const runIncarnation = async (
  parts: RunnerParts,
  projection: Projection,
  generation: number,
  signal: AbortSignal,
): Promise<void> => {
  const { store, writer, checkpoints, leases, log, owner, limits = liveLimits } = parts;
  const key: LeaseKey = { projection: projection.name, generation };
  const lease = await holdLease(leases, key, owner);
  if (!lease) throw new LeaseLost('somebody else holds the lease');
  try {
    await writer.assertSettings();
    const logId = await store.identity();
    const { position, recorded } = await resumeFrom({ checkpoints, writer, logId }, key);
    const fold = projection.start();
    await recall(store, projection, fold, position, signal);
    log.info({ projection: projection.name, generation, position: position.toString() }, 'projecting');
    const to = { projection, generation, epoch: lease.epoch, writer, incarnation: randomUUID() };
    const source = store.follow({ after: position === 0n ? 'start' : position, prefixes: projection.reads, signal });
    let previous = recorded;
    for await (const batch of batches(source, fold, position, limits)) {
      await written(lease, () => writeBatch(to, batch.sealed, batch));
      const knownLog = logId || (await store.identity());
      const advance = { ...key, epoch: lease.epoch, previous, to: batch.upTo, logId: knownLog, parked: batch.parked };
      if (!(await checkpoints.advance(advance))) throw new LeaseLost('the checkpoint was moved by somebody else');
      previous = batch.upTo;
      parts.onBatch?.(projection, batch);
    }
  } finally {
    await lease.release();
  }
};
