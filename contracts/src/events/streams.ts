import type { LivenessKind } from '../vocabulary/index.ts';
import { registryKinds, type RegistryKind } from '../registry/index.ts';

/** The kinds of pushed events, with their stream prefixes. Each has one stream for each network, vendor and UTC day of receipt. */
export const intakeKinds = {
  pop: 'pop',
  dynamicPop: 'dynamicPop',
  heartbeat: 'heartbeat',
  interval: 'interval',
  detection: 'detection',
} as const;
export type IntakeKind = keyof typeof intakeKinds;

/** Returns the stream of events of a kind, such as `pop-{network}.{vendor}.{yyyymmdd}`; the day is that of receipt in UTC. */
export const intakeStream = (kind: IntakeKind, network: number, vendor: string, receivedAtMs: number): string =>
  `${intakeKinds[kind]}-${network}.${vendor}.${new Date(receivedAtMs).toISOString().slice(0, 10).replaceAll('-', '')}`;

/** Returns the stream of an entity, `registry-{kind}.{key}`. The key is escaped, since external ids may contain any character. */
export const registryStream = (kind: RegistryKind, key: string): string =>
  `registry-${registryKinds[kind].stem}.${encodeURIComponent(key)}`;

/** Returns the stream that holds the online and offline changes of a device or feeder. */
export const livenessStream = (kind: LivenessKind, id: number): string => `liveness-${kind}.${id}`;

/** Returns the stream that holds the mappings of a vendor for all its schema versions. */
export const mappingStream = (vendor: string): string => `mapping-${vendor}`;

export const uploadStream = (fileId: string): string => `upload-${fileId}`;

/** Returns the stream that holds the lifecycle of a bulk job, without its rows. */
export const bulkJobStream = (jobId: string): string => `bulkJob-${jobId}`;

/** Returns the stream that holds the rows of a bulk job. */
export const bulkRowsStream = (jobId: string): string => `bulk-${jobId}`;

/** Returns the stream that holds what operators decided about parked events of a projection. */
export const parkingStream = (projection: string): string => `parking-${projection}`;

export const probeStream = (service: string): string => `probe-${service}`;

/** The prefixes of all streams; a subscription to the log filters by them. */
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
  probe: 'probe-',
} as const;
