import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { projectionInShard } from '@popsvc/read-models/generations';
import type { Projection } from '../engine/projection.ts';
import { allProjections } from '../projections/all.ts';

export interface ProjectionShard {
  readonly writer: ClickHouseWriter;
  readonly projections: readonly Projection[];
}

/** Projections of different shards have different names. */
export const projectionShards = (writers: readonly ClickHouseWriter[]): readonly ProjectionShard[] =>
  writers.map((writer) => ({
    writer,
    projections: allProjections.map((projection) => projectionInShard(projection, writer.shard)),
  }));
