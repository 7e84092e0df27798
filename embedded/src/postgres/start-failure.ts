import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clusterPath, describeReplacement } from './cluster.ts';

/** The default size of a WAL file. */
const walFileBytes = 16n * 1_048_576n;

/** Forms the name of the file as PostgreSQL does (`XLogFileName`). */
const walFilePath = (cluster: string, timeline: number, position: bigint): string => {
  const hex = (value: bigint) => value.toString(16).toUpperCase().padStart(8, '0');
  const filesPerId = 0x1_0000_0000n / walFileBytes;
  const file = position / walFileBytes;
  return join(cluster, 'pg_wal', `${hex(BigInt(timeline))}${hex(file / filesPerId)}${hex(file % filesPerId)}`);
};

/** Where the fields `checkPoint` and `checkPointCopy.ThisTimeLineID` are in the control file, for PostgreSQL 11 and later. */
const [checkpointOffset, timelineOffset, controlBytes] = [32, 48, 52];

const readLastCheckpoint = (cluster: string): { readonly timeline: number; readonly position: bigint } | undefined => {
  try {
    const bytes = readFileSync(join(cluster, 'global', 'pg_control'));
    if (bytes.length < controlBytes) return undefined;
    return { timeline: bytes.readUInt32LE(timelineOffset), position: bytes.readBigUInt64LE(checkpointOffset) };
  } catch {
    return undefined;
  }
};

/** A WAL position in a message of PostgreSQL, such as ` at 0/1A2B3C8`. */
const walPosition = / at ([0-9A-F]{1,8})\/([0-9A-F]{1,8})\b/g;

const findNamedWalFiles = (cluster: string, messages: string): readonly string[] => {
  const checkpoint = readLastCheckpoint(cluster);
  const named = [...messages.matchAll(walPosition)].map(
    ([, high, low]) => BigInt(`0x${high!}`) * 0x1_0000_0000n + BigInt(`0x${low!}`),
  );
  // In PostgreSQL 15 and 16, the message about a missing checkpoint record states no position, but the control file has it.
  const positions = messages.includes('checkpoint record') && checkpoint ? [...named, checkpoint.position] : named;
  return [...new Set(positions.map((position) => walFilePath(cluster, checkpoint?.timeline ?? 1, position)))];
};

const controlFileMessage = /incompatible with server|control file/;

export const explainStartFailure = (dataDir: string, messages: string): string => {
  const cluster = clusterPath(dataDir);
  const files = findNamedWalFiles(cluster, messages);
  return [
    messages,
    ...(files.length > 0 ? [`These positions are in ${files.join(' and ')}.`] : []),
    ...(controlFileMessage.test(messages)
      ? [`PostgreSQL reads this from ${join(cluster, 'global', 'pg_control')}.`]
      : []),
    `Paths are relative to ${cluster}. If its files are damaged, ${describeReplacement(dataDir)}.`,
  ].join('\n');
};
