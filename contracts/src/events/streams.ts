import type { LivenessKind } from '../vocabulary/index.ts';
import { registryKinds, type RegistryKind } from '../registry/index.ts';
import type { NoticeType } from '../webhooks/index.ts';

/** Each kind has one stream for each network, vendor and UTC day of receipt. */
export const intakeKinds = {
  pop: 'pop',
  dynamicPop: 'dynamicPop',
  heartbeat: 'heartbeat',
  interval: 'interval',
  detection: 'detection',
} as const;
export type IntakeKind = keyof typeof intakeKinds;

export const intakeStream = (kind: IntakeKind, network: number, vendor: string, receivedAtMs: number): string =>
  `${intakeKinds[kind]}-${network}.${vendor}.${new Date(receivedAtMs).toISOString().slice(0, 10).replaceAll('-', '')}`;

/** External ids may contain any character, so the key is percent-encoded. */
export const registryStream = (kind: RegistryKind, key: string): string =>
  `registry-${registryKinds[kind].stem}.${encodeURIComponent(key)}`;

export const livenessStream = (kind: LivenessKind, id: number): string => `liveness-${kind}.${id}`;

/** One stream for all schema versions of the vendor. */
export const mappingStream = (vendor: string): string => `mapping-${vendor}`;

export const uploadStream = (fileId: string): string => `upload-${fileId}`;

/** The rows of the file are in `bulkRowsStream`. */
export const bulkJobStream = (jobId: string): string => `bulkJob-${jobId}`;

export const bulkRowsStream = (network: number, jobId: string): string => `bulk-${network}.${jobId}`;

/** The operators' decisions on parked events, which the projection cannot process. */
export const parkingStream = (projection: string): string => `parking-${projection}`;

export const auditStream = 'audit-console';
export const noticeStream = (network: number, type: NoticeType): string => `notice-${network}.${type}`;

export const probeStream = (service: string): string => `probe-${service}`;

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

/** Partitions divide these streams by the network in the name, `{prefix}{network}.{rest}`. */
export const networkStreamPrefixes: readonly string[] = [
  streamPrefixes.pop,
  streamPrefixes.dynamicPop,
  streamPrefixes.heartbeat,
  streamPrefixes.interval,
  streamPrefixes.detection,
  streamPrefixes.bulkRows,
];

const networkStreamFormat = new RegExp(`^(?:${networkStreamPrefixes.join('|')})(\\d+)\\.`);

/** Returns undefined for a stream with none of the `networkStreamPrefixes`. */
export const networkOfStream = (stream: string): number | undefined => {
  const [, network] = networkStreamFormat.exec(stream) ?? [];
  return network === undefined ? undefined : Number(network);
};
