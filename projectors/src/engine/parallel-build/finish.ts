import { randomUUID } from 'node:crypto';
import { progress } from '@popsvc/read-models/tables';
import { generationTable, compileRowBinary } from '@popsvc/platform/clickhouse';
import { type BuildRecord, completeBuild, holdLease } from '@popsvc/platform/postgres';
import { LeaseLost } from '../final.ts';
import type { Building, BuildDependencies } from './build.ts';

const progressRow = compileRowBinary(progress.fields);

/** Has the progress and the checkpoint of a generation say that it is made: from here on it is run like any other. */
export const finishBuild = async (
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
