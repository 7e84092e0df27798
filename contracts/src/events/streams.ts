import type { LivenessKind } from '../vocabulary/index.ts';
import { registryKinds, type RegistryKind } from '../registry/index.ts';
import type { NoticeType } from '../webhooks/index.ts';

/**
 * The kinds of events that vendors push, with their stream prefixes. Each kind has one stream for each network, vendor and UTC
 * day of receipt.
 */
export const intakeKinds = {
  pop: 'pop',
  dynamicPop: 'dynamicPop',
  heartbeat: 'heartbeat',
  interval: 'interval',
  detection: 'detection',
} as const;
export type IntakeKind = keyof typeof intakeKinds;

/**
 * Returns the name of the stream for events that a vendor pushes: `{kind}-{network}.{vendor}.{yyyymmdd}`, with the UTC day of
 * receipt.
 */
export const intakeStream = (kind: IntakeKind, network: number, vendor: string, receivedAtMs: number): string =>
  `${intakeKinds[kind]}-${network}.${vendor}.${new Date(receivedAtMs).toISOString().slice(0, 10).replaceAll('-', '')}`;

/**
 * Returns the name of the stream of a registry entity, `registry-{kind}.{key}`. The key is percent-encoded, because external ids
 * may contain any character.
 */
export const registryStream = (kind: RegistryKind, key: string): string =>
  `registry-${registryKinds[kind].stem}.${encodeURIComponent(key)}`;

/** Returns the name of the stream that records when a device or feeder went online or offline. */
export const livenessStream = (kind: LivenessKind, id: number): string => `liveness-${kind}.${id}`;

/** Returns the name of the stream that holds all mappings of a vendor, for all of its schema versions. */
export const mappingStream = (vendor: string): string => `mapping-${vendor}`;

export const uploadStream = (fileId: string): string => `upload-${fileId}`;

/** Returns the name of the stream that records the progress of a bulk job. The rows of its file are in `bulkRowsStream`. */
export const bulkJobStream = (jobId: string): string => `bulkJob-${jobId}`;

/** Returns the name of the stream that holds the rows of a bulk job's file, `bulk-{network}.{jobId}`. */
export const bulkRowsStream = (network: number, jobId: string): string => `bulk-${network}.${jobId}`;

/**
 * Returns the name of the stream that holds the operators' decisions on parked events, which are those that a projection cannot
 * process.
 */
export const parkingStream = (projection: string): string => `parking-${projection}`;

/** The stream that records the actions of operators. */
export const auditStream = 'audit-console';
/**
 * Returns the name of the stream that holds the notices of one type in a network, `notice-{network}.{type}`. Webhooks deliver
 * notices.
 */
export const noticeStream = (network: number, type: NoticeType): string => `notice-${network}.${type}`;

export const probeStream = (service: string): string => `probe-${service}`;

/** The prefixes of all stream names. Subscriptions to the log filter streams by prefix. */
export const streamPrefixes = {
  pop: 'pop-',
  dynamicPop: 'dynamicPop-',
  heartbeat: 'heartbeat-',
  interval: 'interval-',
  detection: 'detection-',
  registry: 'registry-',
  mapping: 'mapping-',
  upload: 'upload-',
  bulkJob: 'bulkJob-',
  bulkRows: 'bulk-',
  liveness: 'liveness-',
  parking: 'parking-',
  audit: 'audit-',
  notice: 'notice-',
  probe: 'probe-',
} as const;

/** The prefixes of the streams that are divided among partitions by the network in their name, `{prefix}{network}.{rest}`. */
export const networkStreamPrefixes: readonly string[] = [
  streamPrefixes.pop,
  streamPrefixes.dynamicPop,
  streamPrefixes.heartbeat,
  streamPrefixes.interval,
  streamPrefixes.detection,
  streamPrefixes.bulkRows,
];

const networkStreamFormat = new RegExp(`^(?:${networkStreamPrefixes.join('|')})(\\d+)\\.`);

/** Returns the network in the name of a stream with one of the `networkStreamPrefixes`; undefined for other streams. */
export const networkOfStream = (stream: string): number | undefined => {
  const [, network] = networkStreamFormat.exec(stream) ?? [];
  return network === undefined ? undefined : Number(network);
};
