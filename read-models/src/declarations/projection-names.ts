import { shardSuffixSource } from '@popsvc/domain/partitioning';

/** The registry comes first, because the views of the other projections look up names in its dictionaries. */
export const projectionNames = ['registry', 'coffee', 'watcher-summary', 'uptime', 'status', 'jobs'] as const;
export type ProjectionName = (typeof projectionNames)[number];

/** Matches the name of a projection, with or without the suffix of a shard. */
export const projectionNameFormat = new RegExp(`^(?:${projectionNames.join('|')})(?:${shardSuffixSource})?$`);
