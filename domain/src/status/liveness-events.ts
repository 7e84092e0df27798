import { DeviceWentOffline, DeviceWentOnline, FeederWentOffline, FeederWentOnline } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { parse, v5 } from 'uuid';
import type { LivenessChange, LivenessSubject } from './liveness.ts';

const types = {
  device: { online: DeviceWentOnline, offline: DeviceWentOffline },
  feeder: { online: FeederWentOnline, offline: FeederWentOffline },
} as const;

/** A change as the log keeps it. */
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

/** Fixed for ever: an append that is told again must make the same events. */
const namespace = parse('0e8a0f4a-7a0e-4a3b-9a86-9a3a6f5f6d52');

/** Id of the event of a change at a revision of its stream: found again there, it is the same event. */
export const livenessEventId = (subject: LivenessSubject, change: LivenessChange, revision: bigint): string => {
  const { type, data } = toLivenessEvent(subject, change);
  return v5(JSON.stringify([type, data, String(revision)]), namespace);
};

/** The change an event tells of, and whose; undefined for an event that tells of none. */
export const readLivenessChange = (
  type: string,
  data: unknown,
): { subject: LivenessSubject; change: LivenessChange } | undefined => {
  const told = data as DeviceWentOnline & FeederWentOnline & DeviceWentOffline & FeederWentOffline;
  const online = (): LivenessChange => ({
    status: 'online',
    onlineAtMs: Date.parse(told.onlineAt),
    offlineSinceMs: told.offlineSince === null ? null : Date.parse(told.offlineSince),
  });
  const offline = (): LivenessChange => ({
    status: 'offline',
    offlineAtMs: Date.parse(told.offlineAt),
    lastReceivedMs: Date.parse(told.lastReceivedAt),
  });
  if (type === DeviceWentOnline.type) return { subject: { kind: 'device', id: told.deviceId }, change: online() };
  if (type === DeviceWentOffline.type) return { subject: { kind: 'device', id: told.deviceId }, change: offline() };
  if (type === FeederWentOnline.type) return { subject: { kind: 'feeder', id: told.feederId }, change: online() };
  if (type === FeederWentOffline.type) return { subject: { kind: 'feeder', id: told.feederId }, change: offline() };
  return undefined;
};
