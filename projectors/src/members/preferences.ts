import { createHash } from 'node:crypto';

const weightOf = (member: string, partition: string): string =>
  createHash('sha256').update(`${member}\n${partition}`).digest('hex');

const rankMembers = (members: readonly string[], partition: string): readonly string[] =>
  [...members].sort((one, other) => (weightOf(one, partition) < weightOf(other, partition) ? 1 : -1));

/**
 * Rendezvous hashing: when a member joins or leaves, partitions tend to stay with their members. No member gets more than an equal share,
 * rounded up.
 */
export const assignPartitions = (
  members: readonly string[],
  projection: string,
  partitions: number,
): readonly (string | undefined)[] => {
  const share = Math.ceil(partitions / Math.max(1, members.length));
  const counts = new Map<string, number>();
  return Array.from({ length: partitions }, (_, partition) => {
    const ranked = rankMembers(members, `${projection} ${partition}`);
    const chosen = ranked.find((member) => (counts.get(member) ?? 0) < share);
    if (chosen !== undefined) counts.set(chosen, (counts.get(chosen) ?? 0) + 1);
    return chosen;
  });
};
