import type { Finding } from '@popsvc/contracts/diagnostics';
import type { Shard } from '@popsvc/domain/partitioning';
import { describeShard } from '@popsvc/platform/clickhouse';

/** Adds the shard to a name, if there are several: `clickhouse of shard 1 of 2`. */
export const addShardToName = (name: string, shard: Shard): string =>
  shard.of === 1 ? name : `${name} of ${describeShard(shard)}`;

export const addShardToSubject = (finding: Finding, shard: Shard): Finding =>
  shard.of === 1
    ? finding
    : {
        ...finding,
        subject: finding.subject === null ? `of ${describeShard(shard)}` : addShardToName(finding.subject, shard),
      };
