import type { LivenessKind } from '../vocabulary/index.ts';
import { registryKinds, type RegistryKind } from '../registry/index.ts';

/** Kinds of intake, each with streams of its own: one a network, vendor and UTC day of receipt. */
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

/** `registry-{kind}.{key}`; the key is escaped, since external ids may hold anything. */
export const registryStream = (kind: RegistryKind, key: string): string =>
  `registry-${registryKinds[kind].stem}.${encodeURIComponent(key)}`;

/** When a device or a feeder went online and offline; each change stands there once. */
export const livenessStream = (kind: LivenessKind, id: number): string => `liveness-${kind}.${id}`;

/** The mappings of a vendor, every schema version of it. */
export const mappingStream = (vendor: string): string => `mapping-${vendor}`;

export const uploadStream = (fileId: string): string => `upload-${fileId}`;

/** What became of a bulk job: its life, not its rows. */
export const bulkJobStream = (jobId: string): string => `bulkJob-${jobId}`;

/** The rows of a bulk job. */
export const bulkRowsStream = (jobId: string): string => `bulk-${jobId}`;

/** What operators decided about events that a projection had set aside; each projection reads its own. */
export const parkingStream = (projection: string): string => `parking-${projection}`;

export const probeStream = (service: string): string => `probe-${service}`;

/** Prefixes by which readers of the whole log choose what they see. */
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
