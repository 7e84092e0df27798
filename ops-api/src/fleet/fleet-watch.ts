import { nameInShard, type Shard, shardOwnsNetwork } from '@popsvc/domain/partitioning';
import type { Finding } from '@popsvc/contracts/diagnostics';
import { describeShard, type ShardReader } from '@popsvc/platform/clickhouse';
import { type Queryable, readGenerations } from '@popsvc/platform/postgres';
import { createSampler } from '@popsvc/platform/runtime';
import { Gauge, type Log, type Registry as Metrics } from '@popsvc/platform/telemetry';
import type { RegistryLog } from '../registry/registry-log.ts';
import {
  type FleetProblems,
  type FleetState,
  type FleetThresholds,
  findFleetProblems,
  followedMs,
} from './find-fleet-problems.ts';
import { devicesCheck, flowCheck, reportFleet } from './fleet-findings.ts';
import {
  asOfQuery,
  type SeenDevice,
  seenDevicesQuery,
  type VendorActivity,
  vendorActivityQuery,
} from './fleet-queries.ts';

export interface FleetDependencies {
  readonly shards: readonly ShardReader[];
  readonly postgres: Queryable;
  readonly registryLog: RegistryLog;
  readonly thresholds: FleetThresholds;
  readonly metrics: Metrics;
  readonly log: Log;
}

export interface FleetWatch {
  /** Returns a skipped finding for each check if the registry, or every shard, cannot be read in time. */
  report(): Promise<readonly Finding[]>;
}

const maxAgeMs = 30_000;
const timeoutMs = 3_000;

/** Time that each read repeats, because plays of the last hours may not have been projected at the previous read. */
const repeatedMs = 3 * 3_600_000;

type ReadShard = (nowMs: number) => Promise<Pick<FleetState, 'devices' | 'vendors' | 'asOfMs'>>;

/** Remembers the last hour of each vendor, so that later calls need not read all receipts of the last `followedMs`. */
const createShardReading = ({ shard, reader }: ShardReader, postgres: Queryable): ReadShard => {
  const known = new Map<string, VendorActivity>();
  let readUntilMs = 0;
  return async (nowMs) => {
    const generations = await readGenerations(postgres);
    const isLive = ({ projection, state }: { projection: string; state: string }) =>
      projection === nameInShard('coffee', shard) && state === 'live';
    const liveGeneration = generations.find(isLive)?.generation ?? 1;
    const fromMs = Math.max(nowMs - followedMs, readUntilMs - repeatedMs);
    // Reads the progress first, so that the later queries see at least all events up to that time.
    const [progress] = await reader.rows<{ readonly as_of_ms: number }>(asOfQuery);
    const [devices, vendors] = await Promise.all([
      reader.rows<SeenDevice>(seenDevicesQuery(nowMs)),
      reader.rows<VendorActivity>(vendorActivityQuery(fromMs, liveGeneration)),
    ]);
    for (const activity of vendors) known.set(`${activity.network_id} ${activity.vendor}`, activity);
    const asOfMs = progress?.as_of_ms ?? 0;
    readUntilMs = Math.min(nowMs, asOfMs);
    return {
      asOfMs,
      devices,
      vendors: [...known.values()].filter(({ hour_ms }) => hour_ms >= nowMs - followedMs),
    };
  };
};

/** Throws if the registry, or every shard, cannot be read. */
export type ReadFleet = (nowMs: number) => Promise<FleetState>;

const readState = async (
  { registryLog, log }: Pick<FleetDependencies, 'registryLog' | 'log'>,
  shards: readonly { readonly shard: Shard; readonly read: ReadShard }[],
  nowMs: number,
): Promise<FleetState> => {
  const [{ registry }, ...results] = await Promise.all([
    registryLog.readCurrent(),
    ...shards.map(async ({ shard, read }) => {
      try {
        return { shard, ...(await read(nowMs)) };
      } catch (err) {
        log.warn(
          { err, shard: describeShard(shard) },
          'failed to read devices and vendors of a shard; its networks are not checked',
        );
        return undefined;
      }
    }),
  ]);
  const read = results.filter((result) => result !== undefined);
  if (read.length === 0) throw new Error('no shard of ClickHouse could be read');
  return {
    registry,
    isRead: (network: number) => read.some(({ shard }) => shardOwnsNetwork(shard, network)),
    asOfMs: Math.min(...read.map(({ asOfMs }) => asOfMs)),
    devices: read.flatMap(({ devices }) => devices),
    vendors: read.flatMap(({ vendors }) => vendors),
  };
};

export const createFleetReading = (
  dependencies: Pick<FleetDependencies, 'shards' | 'postgres' | 'registryLog' | 'log'>,
): ReadFleet => {
  const { postgres } = dependencies;
  const shards = dependencies.shards.map((one) => ({ shard: one.shard, read: createShardReading(one, postgres) }));
  return (nowMs) => readState(dependencies, shards, nowMs);
};

export const registerFleetMetrics = (metrics: Metrics, read: () => Promise<FleetProblems | undefined>): void => {
  new Gauge({
    name: 'popsvc_fleet_problems',
    help: 'Networks and sites with many offline devices, and vendors and networks that send nothing, in opening hours.',
    labelNames: ['problem'],
    registers: [metrics],
    async collect() {
      const problems = await read();
      this.reset();
      if (!problems) return;
      const { dark, silent } = problems;
      this.set({ problem: 'dark-network' }, dark.filter(({ site }) => site === undefined).length);
      this.set({ problem: 'dark-site' }, dark.filter(({ site }) => site !== undefined).length);
      this.set({ problem: 'network-silent' }, silent.filter(({ vendor }) => vendor === undefined).length);
      this.set({ problem: 'vendor-silent' }, silent.filter(({ vendor }) => vendor !== undefined).length);
    },
  });
};

export const createFleetWatch = (dependencies: FleetDependencies): FleetWatch => {
  const { thresholds, metrics } = dependencies;
  const readFleet = createFleetReading(dependencies);
  const readAndLog = async () => {
    try {
      const nowMs = Date.now();
      return findFleetProblems(await readFleet(nowMs), thresholds, nowMs);
    } catch (err) {
      dependencies.log.warn({ err }, 'failed to check devices, vendors and networks');
      throw err;
    }
  };
  const read = createSampler(readAndLog, { maxAgeMs, timeoutMs });
  registerFleetMetrics(metrics, read);
  return {
    async report() {
      const problems = await read();
      if (problems) return reportFleet(problems);
      const found = 'not checked: the registry and ClickHouse must answer first';
      return [devicesCheck.skipped({ found }), flowCheck.skipped({ found })];
    },
  };
};
