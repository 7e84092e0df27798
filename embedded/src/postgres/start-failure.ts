import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clusterPath } from './cluster.ts';

/** Bytes of a WAL file. `initdb` uses this size unless it gets another one. */
const walFileBytes = 16n * 1_048_576n;

/** Returns the path of the file that contains a WAL position. PostgreSQL forms its name in the same way (`XLogFileName`). */
const walFilePath = (cluster: string, timeline: number, position: bigint): string => {
  const hex = (value: bigint) => value.toString(16).toUpperCase().padStart(8, '0');
  const filesPerId = 0x1_0000_0000n / walFileBytes;
  const file = position / walFileBytes;
  return join(cluster, 'pg_wal', `${hex(BigInt(timeline))}${hex(file / filesPerId)}${hex(file % filesPerId)}`);
};

/** Where the fields `checkPoint` and `checkPointCopy.ThisTimeLineID` are in the control file, for PostgreSQL 9.6 and later. */
const [checkpointOffset, timelineOffset, controlBytes] = [32, 48, 52];

/** Reads the timeline and the WAL position of the last checkpoint; undefined if the control file is too short or cannot be read. */
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

/** Returns the WAL files that contain the positions in PostgreSQL's messages. */
const findNamedWalFiles = (cluster: string, messages: string): readonly string[] => {
  const checkpoint = readLastCheckpoint(cluster);
  const named = [...messages.matchAll(walPosition)].map(
    ([, high, low]) => BigInt(`0x${high!}`) * 0x1_0000_0000n + BigInt(`0x${low!}`),
  );
  // In PostgreSQL 15 and 16, the message about a missing checkpoint record states no position, but the control file has it.
  const positions = messages.includes('checkpoint record') && checkpoint ? [...named, checkpoint.position] : named;
  return [...new Set(positions.map((position) => walFilePath(cluster, checkpoint?.timeline ?? 1, position)))];
};

/** Messages about the control file that do not name it, such as the message that another version of PostgreSQL wrote it. */
const controlFileMessage = /incompatible with server|control file/;

/**
 * Adds advice for the operator to the last messages of a server that failed to start: the WAL files that the messages name only by
 * position, the folder to which paths are relative, and what to do.
 */
export const explainStartFailure = (dataDir: string, messages: string): string => {
  const cluster = clusterPath(dataDir);
  const files = findNamedWalFiles(cluster, messages);
  return [
    messages,
    ...(files.length > 0 ? [`These positions are in ${files.join(' and ')}.`] : []),
    ...(controlFileMessage.test(messages)
      ? [`PostgreSQL reads this from ${join(cluster, 'global', 'pg_control')}.`]
      : []),
    `Paths are relative to ${cluster}. If its files are damaged, replace ${dataDir} by the copy of a backup.`,
  ].join('\n');
};
