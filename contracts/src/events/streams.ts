import type { LivenessKind } from '../vocabulary/index.ts';
import { registryKinds, type RegistryKind } from '../registry/index.ts';

/** Kinds of intake; each has one stream per network, vendor and UTC day of receipt. */
export const intakeKinds = {
  pop: 'pop',
  dynamicPop: 'dynamicPop',
  heartbeat: 'heartbeat',
  interval: 'interval',
  detection: 'detection',
} as const;
export type IntakeKind = keyof typeof intakeKinds;

/** `pop-{network}.{vendor}.{yyyymmdd}`; the day is that of receipt, in UTC. */
export const intakeStream = (kind: IntakeKind, network: number, vendor: string, receivedAtMs: number): string =>
  `${intakeKinds[kind]}-${network}.${vendor}.${new Date(receivedAtMs).toISOString().slice(0, 10).replaceAll('-', '')}`;

/** `registry-{kind}.{key}`; the key is escaped, since external ids may contain any character. */
export const registryStream = (kind: RegistryKind, key: string): string =>
  `registry-${registryKinds[kind].stem}.${encodeURIComponent(key)}`;

/** Online and offline changes of a device or feeder. */
export const livenessStream = (kind: LivenessKind, id: number): string => `liveness-${kind}.${id}`;

/** The mappings of a vendor for all its schema versions. */
export const mappingStream = (vendor: string): string => `mapping-${vendor}`;

export const uploadStream = (fileId: string): string => `upload-${fileId}`;

/** The lifecycle of a bulk job, without its rows. */
export const bulkJobStream = (jobId: string): string => `bulkJob-${jobId}`;

/** The rows of a bulk job. */
export const bulkRowsStream = (jobId: string): string => `bulk-${jobId}`;

/** Decisions of operators about parked events of a projection. */
export const parkingStream = (projection: string): string => `parking-${projection}`;

export const probeStream = (service: string): string => `probe-${service}`;

/** Stream prefixes for filtered subscriptions to the whole log. */
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
