import { setTimeout as sleep } from 'node:timers/promises';
import { describeShard } from '@popsvc/platform/clickhouse';
import type { Postgres } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import { onEachShard } from '@popsvc/read-models/generations';
import { runStateAfter, type StatusRegistry } from '../engine/projection-status.ts';
import { recordLogRepairs, type RepairedShard } from './record-log-repairs.ts';

export interface RepairRecording<Shard extends RepairedShard> {
  isRecorded(shard: Shard): boolean;
  untilRecorded(shard: Shard): Promise<void>;
}

interface RecordingDependencies {
  readonly postgres: Postgres;
  readonly log: Log;
  readonly statusRegistry: StatusRegistry;
  /** Folder with the list of repairs; undefined if this machine has none. */
  readonly dataDir: string | undefined;
}

const retryMs = 2_000;

/** If a shard fails, the others continue, and `untilRecorded` tries it again. Throws if all shards fail. */
export const startRecordingRepairs = async <Shard extends RepairedShard>(
  { postgres, log, statusRegistry, dataDir }: RecordingDependencies,
  shards: readonly Shard[],
  signal: AbortSignal,
): Promise<RepairRecording<Shard>> => {
  const recorded = new Set<Shard>();
  const record = async (shard: Shard) => {
    if (dataDir !== undefined) await recordLogRepairs({ postgres, log }, shard, dataDir);
    recorded.add(shard);
  };
  await onEachShard(shards, record, ({ writer }, err) =>
    log.error({ err, shard: describeShard(writer.shard) }, 'failed to record repairs of the log for a shard; retrying'),
  );
  const showFailure = ({ projections }: Shard, error: unknown) => {
    for (const key of statusRegistry.statuses)
      if (projections.some(({ name }) => name === key.name)) statusRegistry.setRunState(key, runStateAfter({ error }));
  };
  const isOver = () => sleep(retryMs, false, { signal }).catch(() => true);
  return {
    isRecorded: (shard) => recorded.has(shard),
    async untilRecorded(shard) {
      while (!recorded.has(shard) && !(await isOver()))
        await record(shard).catch((error: unknown) => showFailure(shard, error));
    },
  };
};
