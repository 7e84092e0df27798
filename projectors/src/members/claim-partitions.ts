import { setTimeout as sleep } from 'node:timers/promises';
import { describeShardCount } from '@popsvc/domain/partitioning';
import { ConfigError } from '@popsvc/platform/config';
import {
  findPartitionCount,
  readFormerSets,
  readGenerations,
  readMembers,
  readUnfinishedReplays,
  recordPartitionCount,
  joinMember,
  withMembersLock,
} from '@popsvc/platform/postgres';
import { repartition, type RepartitionDependencies } from './repartition.ts';

export interface PartitionClaim extends RepartitionDependencies {
  readonly owner: string;
  readonly partitions: number;
  readonly verifyTables: () => Promise<unknown>;
  /** How long to wait until killed processes no longer count as members; default 12,000. */
  readonly waitMs?: number;
}

const variable = 'PROJECTION_PARTITIONS';

const findObstacle = async ({ postgres, owner, shards }: PartitionClaim): Promise<string | undefined> => {
  const others = (await readMembers(postgres)).map(({ member }) => member).filter((member) => member !== owner);
  if (others.length > 0) return `these processes are running: ${others.join(', ')}. Stop all of them first`;
  // Only projections of this number of shards are divided. Those of another number would keep the former number of partitions.
  const [former] = await readFormerSets(postgres, shards.length);
  if (former)
    return `the projections of ${describeShardCount(former.shards)} are stored, too. Remove them with "popsvc projections forget ${former.shards} --confirm" first`;
  const [replay] = await readUnfinishedReplays(postgres);
  if (replay) return `a replay of ${replay.projection} is running. Let it end, or cancel it, first`;
  const damaged = (await readGenerations(postgres)).find(({ state, damage }) => state === 'live' && damage.length > 0);
  return damaged && `tables of ${damaged.projection} are damaged. Let a replay heal them first`;
};

const pollMs = 500;

/** Throws `ConfigError` if something still prevents a change of the number after `waitMs`, such as another running process. */
export const claimPartitions = async (claim: PartitionClaim): Promise<void> => {
  const { postgres, owner, partitions, verifyTables, waitMs = 12_000 } = claim;
  const until = performance.now() + waitMs;
  /** Returns why this process cannot join yet; undefined if it has joined. */
  const join = (): Promise<string | undefined> =>
    withMembersLock(postgres, async () => {
      const recorded = await findPartitionCount(postgres);
      if (recorded !== undefined && recorded !== partitions) {
        const before = await findObstacle(claim);
        if (before === undefined) await verifyTables();
        // The verification may have found damage.
        const obstacle = before ?? (await findObstacle(claim));
        if (obstacle !== undefined)
          return `${variable} is ${partitions}, but the projections are split into ${recorded} partition${recorded === 1 ? '' : 's'}, and ${obstacle}, or start this process with ${variable}=${recorded}.`;
        await repartition(claim, { from: recorded, to: partitions });
      }
      if (recorded === undefined) await recordPartitionCount(postgres, partitions);
      await joinMember(postgres, { member: owner, shards: claim.shards.length });
      return undefined;
    });
  for (;;) {
    const obstacle = await join();
    if (obstacle === undefined) return;
    if (performance.now() >= until) throw new ConfigError(obstacle);
    await sleep(pollMs);
  }
};
