import { shardSuffixSource } from '@popsvc/domain/partitioning';

export const projectionNames = ['registry', 'coffee', 'watcher-summary', 'uptime', 'status', 'jobs'] as const;
export type ProjectionName = (typeof projectionNames)[number];

export const projectionNameFormat = new RegExp(`^(?:${projectionNames.join('|')})(?:${shardSuffixSource})?$`);
