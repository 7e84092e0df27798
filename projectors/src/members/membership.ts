import {
  findPartitionCount,
  type LeaseStore,
  type Postgres,
  readMembersOfSet,
  removeMember,
  reportMember,
} from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { PartitionKey } from '../engine/generation-partitions.ts';
import type { PartitionPreferences } from '../engine/runner/supervisor.ts';
import { assignPartitions } from './preferences.ts';

export interface Membership extends PartitionPreferences {
  leave(): Promise<void>;
}

const everyMs = 1_000;

const textOf = ({ projection, generation, partition }: Pick<PartitionKey, 'projection' | 'generation' | 'partition'>) =>
  `${projection} ${generation} ${partition}`;

interface MembershipDependencies {
  readonly postgres: Postgres;
  readonly leases: LeaseStore;
  readonly owner: string;
  readonly partitions: number;
  /** Number of shards whose projections this process runs. Processes with another number do not count as members. */
  readonly shards: number;
  readonly log: Log;
}

/**
 * All processes compute the same preferences from the list of members. Preferences do not depend on the generation, so that a switch of
 * readers moves no partition.
 */
export const joinMembers = async ({
  postgres,
  leases,
  owner,
  partitions,
  shards,
  log,
}: MembershipDependencies): Promise<Membership> => {
  let members: readonly string[] = [owner];
  let wanted: ReadonlySet<string> = new Set();
  let assigned = new Map<string, readonly (string | undefined)[]>();
  let isReplaced = false;
  const report = async () => {
    const recorded = await findPartitionCount(postgres);
    if (recorded !== undefined && recorded !== partitions) {
      if (!isReplaced)
        log.error(
          { configured: partitions, recorded },
          'another process changed the number of partitions; this process runs no projection: set PROJECTION_PARTITIONS to the recorded number and start it again',
        );
      isReplaced = true;
      return;
    }
    isReplaced = false;
    await reportMember(postgres, { member: owner, shards });
    const found = await readMembersOfSet(postgres, shards);
    if (found.join() !== members.join()) {
      log.info({ members: found }, 'members of the projectors changed');
      assigned = new Map();
    }
    members = found;
    wanted = new Set((await leases.readWanted(owner)).map(textOf));
  };
  await report();
  let reporting: Promise<void> | undefined;
  const timer = setInterval(() => {
    // While PostgreSQL is unavailable, the last list is used.
    reporting ??= report()
      .catch((err: unknown) => log.warn({ err }, 'failed to report this process as a member of the projectors'))
      .finally(() => (reporting = undefined));
  }, everyMs);
  const isPreferred = ({ projection, partition, partitions: count }: PartitionKey): boolean => {
    const key = `${projection} ${count}`;
    const ofProjection = assigned.get(key) ?? assignPartitions(members, projection, count);
    assigned.set(key, ofProjection);
    return ofProjection[partition] === owner;
  };
  return {
    isAlone: () => members.length <= 1,
    isPreferred,
    shouldHandBack: (key) => wanted.has(textOf(key)) && !isPreferred(key),
    async leave() {
      clearInterval(timer);
      await reporting;
      await removeMember(postgres, owner).catch((err: unknown) =>
        log.warn({ err }, 'failed to remove this process from the members of the projectors'),
      );
    },
  };
};
