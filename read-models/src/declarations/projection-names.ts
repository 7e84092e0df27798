import { shardSuffixSource } from '@popsvc/domain/partitioning';

/** The registry is first, because the views of the other projections look up names in its dictionaries. */
export const projectionNames = ['registry', 'coffee', 'watcher-summary', 'uptime', 'status', 'jobs'] as const;
export type ProjectionName = (typeof projectionNames)[number];

/** The suffix of a shard is optional. */
export const projectionNameFormat = new RegExp(`^(?:${projectionNames.join('|')})(?:${shardSuffixSource})?$`);
