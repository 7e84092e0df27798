import { ownsNetwork, partitionIndexSql, partitionOf, shardIndexSql, shardOf } from '@popsvc/domain/partitioning';
import { defineTable, field, incidental, type TableDefinition } from '@popsvc/platform/clickhouse';
import { coffee, coffeeHistory } from '../coffee/coffee.table.ts';
import { observations, plays } from '../facts/facts.tables.ts';
import { watcherSummary, watcherSummaryHistory } from '../watcher-summary/watcher-summary.table.ts';
import { flag, instant, network, sequence, text, word } from '../declarations/fields.ts';

/**
 * Time ranges whose facts are stored and whose rows are still to be derived. A batch puts off ranges that exceed their network's share
 * (docs/decisions/0023-fair-shares-of-derivation.md).
 */
const definePendingRanges = (derived: TableDefinition): TableDefinition =>
  defineTable({
    name: `${derived.name}_pending`,
    about: `Ranges whose rows of ${derived.name} are derived later: put off by a batch, lost, or copied by a replay from facts.`,
    orderBy: ['network_id', 'from_at', 'to_at', 'screen_id', 'cause'],
    replacing: { version: 'version', deleted: 'is_deleted' },
    fields: {
      network_id: network,
      last_network: field(
        'UInt64',
        'Last network of the range, if a replay derives several networks at once; network_id or 0 for one network.',
      ),
      screen_id: text('Screen of the facts; empty for all screens.'),
      from_at: instant('Beginning of the range.'),
      to_at: instant('End of the range, exclusive.'),
      cause: word(
        'facts; what changed in the registry: registry, thresholds or feeders; damaged: rows were lost; replay: from facts.',
      ),
      pos: sequence('The first item of the first batch that put the range off'),
      as_of: instant('Everything received up to then is derived.'),
      slices: field('UInt32', 'Number of slices into which the facts of the range are divided.'),
      next_slice: field('UInt32', 'First slice that is not derived yet.'),
      written_at: instant('When this row was written.'),
      version: incidental(
        field('UInt64', 'Twice the last sequence of the batch; plus one when derived in part or whole.'),
      ),
      is_deleted: flag('1 when the range is derived.'),
    },
  });

export interface DerivedTable {
  /** Its column `ts` is the start of the play or detection. */
  readonly table: TableDefinition;
  readonly history: TableDefinition;
  readonly pending: TableDefinition;
  /** Each row of `table` has at least one fact, whose column `startedAt` equals the `ts` of the row. */
  readonly facts: { readonly table: TableDefinition; readonly startedAt: string };
}

export const derivedCoffee: DerivedTable = {
  table: coffee,
  history: coffeeHistory,
  pending: definePendingRanges(coffee),
  facts: { table: plays, startedAt: 'played_at' },
};
export const derivedWatcherSummary: DerivedTable = {
  table: watcherSummary,
  history: watcherSummaryHistory,
  pending: definePendingRanges(watcherSummary),
  facts: { table: observations, startedAt: 'started_at' },
};

export const damagedCause = 'damaged';

export const replayCause = 'replay';

/** A row means the networks from `network_id` to `last_network` in the same shard and partition as `network_id`. */
export const pendingView = { name: 'pending' };

export interface PendingNetworks {
  readonly network: number;
  readonly lastNetwork: number;
  readonly partitions: number;
  /** Default 1. */
  readonly shards?: number;
}

export const includesNetwork = (
  { network, lastNetwork, partitions: of, shards = 1 }: PendingNetworks,
  wanted: number,
): boolean => {
  const partition = { index: partitionOf(network, { partitions: of, shards }), of };
  const owner = { ...partition, shard: shardOf(network, shards) };
  return network <= wanted && wanted <= lastNetwork && ownsNetwork(owner, wanted);
};

/** All arguments are SQL expressions. */
export const includesNetworkSql = (
  { network, lastNetwork, partitions, shards }: Readonly<Record<keyof Required<PendingNetworks>, string>>,
  wanted: string,
): string => {
  const isSame = (index: (of: string) => string) => `${index(network)} = ${index(wanted)}`;
  return (
    `${network} <= ${wanted} AND ${wanted} <= ${lastNetwork} AND ${isSame((of) => shardIndexSql(of, shards))}` +
    ` AND ${isSame((of) => partitionIndexSql(of, { partitions, shards }))}`
  );
};

export const damagedRangesView = { name: 'damaged_ranges' };
