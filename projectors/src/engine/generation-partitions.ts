import { listPartitions, type Partition } from '@popsvc/domain/partitioning';
import type { GenerationKey } from '@popsvc/platform/postgres';
import { countPartitions } from '@popsvc/read-models/generations';
import type { Projection } from './projection.ts';

export interface ProjectionGeneration {
  readonly projection: Projection;
  readonly generation: number;
}

/** The part of a generation that one run folds, under one lease and with one checkpoint. */
export interface GenerationPartition extends ProjectionGeneration {
  readonly partition: Partition;
}

export interface PartitionKey extends GenerationKey {
  readonly partition: number;
  readonly partitions: number;
}

export const partitionKeyOf = ({ projection, generation, partition }: GenerationPartition): PartitionKey => ({
  projection: projection.name,
  generation,
  partition: partition.index,
  partitions: partition.of,
});

/** `partitions` applies to split projections; others have one. */
export const listGenerationPartitions = (
  { projection, generation }: ProjectionGeneration,
  partitions: number,
): readonly GenerationPartition[] =>
  listPartitions(countPartitions(projection, partitions), projection.shard).map((partition) => ({
    projection,
    generation,
    partition,
  }));
