import { DeviceWentOffline, DeviceWentOnline, FeederWentOffline, FeederWentOnline } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { parse, v5 } from 'uuid';
import type { LivenessChange, LivenessSubject } from './liveness.ts';

const types = {
  device: { online: DeviceWentOnline, offline: DeviceWentOffline },
  feeder: { online: FeederWentOnline, offline: FeederWentOffline },
} as const;

export const toLivenessEvent = ({ kind, id }: LivenessSubject, change: LivenessChange) => {
  const { type, version } = types[kind][change.status];
  const subject = kind === 'device' ? { deviceId: id } : { feederId: id };
  const times =
    change.status === 'online'
      ? {
          onlineAt: instantOf(change.onlineAtMs),
          offlineSince: change.offlineSinceMs === null ? null : instantOf(change.offlineSinceMs),
        }
      : { offlineAt: instantOf(change.offlineAtMs), lastReceivedAt: instantOf(change.lastReceivedMs) };
  return { type, schemaVersion: version, data: { ...subject, ...times } };
};

/** Must never change, since a retried append must produce the same event ids. */
const namespace = parse('0e8a0f4a-7a0e-4a3b-9a86-9a3a6f5f6d52');

export const livenessEventId = (subject: LivenessSubject, change: LivenessChange, revision: bigint): string => {
  const { type, data } = toLivenessEvent(subject, change);
  return v5(JSON.stringify([type, data, String(revision)]), namespace);
};

/** Returns undefined for an event that is not a liveness event. */
export const readLivenessChange = (
  type: string,
  data: unknown,
): { subject: LivenessSubject; change: LivenessChange } | undefined => {
  const fields = data as DeviceWentOnline & FeederWentOnline & DeviceWentOffline & FeederWentOffline;
  const online = (): LivenessChange => ({
    status: 'online',
    onlineAtMs: Date.parse(fields.onlineAt),
    offlineSinceMs: fields.offlineSince === null ? null : Date.parse(fields.offlineSince),
  });
  const offline = (): LivenessChange => ({
    status: 'offline',
    offlineAtMs: Date.parse(fields.offlineAt),
    lastReceivedMs: Date.parse(fields.lastReceivedAt),
  });
  if (type === DeviceWentOnline.type) return { subject: { kind: 'device', id: fields.deviceId }, change: online() };
  if (type === DeviceWentOffline.type) return { subject: { kind: 'device', id: fields.deviceId }, change: offline() };
  if (type === FeederWentOnline.type) return { subject: { kind: 'feeder', id: fields.feederId }, change: online() };
  if (type === FeederWentOffline.type) return { subject: { kind: 'feeder', id: fields.feederId }, change: offline() };
  return undefined;
};
