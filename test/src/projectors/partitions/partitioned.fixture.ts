import { listPartitions, type Partition } from '@popsvc/domain/partitioning';
import { intakeStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { RunnerDependencies } from '@popsvc/projectors/engine';
import { runProjection } from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
import fc from 'fast-check';
import { listEvent } from '../../support/list-events.ts';
import { backlogBatchLimits, type TestSystem } from '../../support/test-system.ts';
import { scenario } from '../coffee/audience-scenario.ts';
import { groupAppends } from '../coffee/scenario-appends.ts';
import { registryOf } from '../coffee/scenario-registry.ts';

/** Names of the projections that can be split. */
export const splitNames: readonly string[] = allProjections.filter(({ isSplit }) => isSplit).map(({ name }) => name);

const baseMs = Date.parse('2026-10-25T00:55:00Z');

/** Plays, detections, heartbeats and intervals of some networks, in portions. */
export const createTraffic = (system: TestSystem, networks: number, seed: number) => {
  const scenarios = fc.sample(fc.tuple(...Array.from({ length: networks }, (_, index) => scenario(index + 1))), {
    seed,
    numRuns: 1,
  })[0]!;
  const registry = registryOf(scenarios);
  return {
    register: () => system.register(registry),
    /** Moves the device of every third network to a new time zone, and renames the others. */
    change: (round: number) =>
      system.register({
        networks: registry.networks.map((each) => ({ ...each, name: `${each.name}, round ${round}` })),
        sites: registry.sites
          .filter(({ id }) => id % 3 === 0)
          .map((site) => ({ ...site, timezone: round % 2 === 0 ? 'Asia/Tokyo' : 'Europe/Paris' })),
      }),
    async append(portion: number, portions: number) {
      for (const { network, events } of scenarios) {
        const share = events.filter((_, index) => Math.floor((index * portions) / events.length) === portion);
        for (const { stream, events: ofStream } of groupAppends(network, share))
          await system.appendAll(stream, ofStream, { network, vendor: `v${network}` });
        const from = { network, vendor: `v${network}` };
        const at = instantOf(baseMs + portion * 60_000);
        await system.appendAll(
          intakeStream('heartbeat', network, from.vendor, 0),
          [listEvent('HeartbeatsRecorded', { deviceId: network, at })],
          from,
        );
        await system.appendAll(
          intakeStream('interval', network, from.vendor, 0),
          [
            listEvent('IntervalsRecorded', {
              deviceId: network,
              appCode: 'player',
              state: 'running',
              revision: portion,
              startedAt: instantOf(baseMs),
              endedAt: null,
              lastHeartbeatAt: at,
            }),
          ],
          from,
        );
      }
    },
  };
};

/** Runs one partition of a generation until it has handled the log up to a position and has no pending ranges. */
export const runPartition = async (
  { parts }: TestSystem,
  {
    name,
    generation,
    partition,
  }: { readonly name: string; readonly generation: number; readonly partition: Partition },
  upTo: bigint,
  more: Partial<RunnerDependencies> = {},
): Promise<void> => {
  const projection = allProjections.find((each) => each.name === name)!;
  const stop = new AbortController();
  let isReached = false;
  const onUnit = (_: unknown, pendingNetworks: number) => {
    if (isReached && pendingNetworks === 0) stop.abort();
  };
  await runProjection(
    {
      ...parts,
      owner: `partition ${partition.index}`,
      onUnit,
      onBatch: (which, batch, _, pendingNetworks) => {
        isReached = batch.upTo >= upTo;
        onUnit(which, pendingNetworks);
      },
      silenceTimeout: { catchUpMs: 3_600_000, liveMs: 3_600_000 },
      ...more,
      limits: backlogBatchLimits(more.limits),
    },
    { projection, generation, partition },
    stop.signal,
  );
};

export const fourPartitions = listPartitions(4);
