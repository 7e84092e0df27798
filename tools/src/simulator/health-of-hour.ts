import type { Heartbeat, Interval } from '@popsvc/contracts/commands';
import { instantOf } from '@popsvc/contracts/time';
import { type Chance, chanceOf } from './chance.ts';
import { hourMs, openWithin, type Stretch } from './open-quarters.ts';
import { kioskVendorSuffix, type SimDevice } from './sim-device.ts';
import type { HourWish } from './plays-of-hour.ts';

export const apps = [
  { code: 'player', name: 'Media player' },
  { code: 'kiosk', name: 'Kiosk' },
];

const minuteMs = 60_000;

/** What is said of a device's health in an hour. */
export interface Health {
  readonly heartbeats: readonly Heartbeat[];
  /** In the order in which they are told: a later one supersedes an earlier one of the same start. */
  readonly intervals: readonly Interval[];
}

/** Once in some forty hours a device says nothing for a while: its line is cut, or it is off. */
const silenceIn = (chance: Chance, hour: number): Stretch | undefined => {
  if (!chance.happens(0.025)) return undefined;
  const fromMs = hour + chance.int(0, 50) * minuteMs;
  return { fromMs, toMs: fromMs + chance.int(6, 45) * minuteMs };
};

const isWithin = (stretch: Stretch | undefined, at: number): boolean =>
  stretch !== undefined && at >= stretch.fromMs && at < stretch.toMs;

/** A beat a minute, each a little early or late. */
const beatsWithin = (chance: Chance, { fromMs, toMs }: Stretch, silence: Stretch | undefined): string[] => {
  const beats: string[] = [];
  for (let at = fromMs + chance.int(0, 3_000); at < toMs; at += minuteMs)
    if (!isWithin(silence, at)) beats.push(instantOf(at + chance.int(0, 900)));
  return beats;
};

/** A kiosk tells how long its app ran: that it began, and at the end of the hour or of the opening that it ended. */
const intervalsOf = (deviceId: number, { fromMs, toMs }: Stretch): Interval[] => {
  const begun = { deviceId, appCode: 'kiosk', state: 'running' as const, startedAt: instantOf(fromMs) };
  return [
    { ...begun, endedAt: null, lastHeartbeatAt: instantOf(fromMs + minuteMs) },
    { ...begun, endedAt: instantOf(toMs), lastHeartbeatAt: instantOf(toMs) },
  ];
};

/** Heartbeats of a device's player app (stopped while the site is closed) and of its feeder, and intervals of a kiosk's app. */
export const healthOfHour = (device: SimDevice, { seed, hour }: Pick<HourWish, 'seed' | 'hour'>): Health => {
  const chance = chanceOf(seed, 'health', device.id, hour);
  const silence = silenceIn(chance, hour);
  const open = openWithin(device, hour);
  const isOpenAt = (at: string) => open.some((stretch) => isWithin(stretch, Date.parse(at)));
  const isKiosk = device.vendor.endsWith(kioskVendorSuffix);
  const whole = { fromMs: hour, toMs: hour + hourMs };
  const ofDevice = beatsWithin(chance, whole, silence).map((at): Heartbeat =>
    isKiosk
      ? { deviceId: device.id, at }
      : { deviceId: device.id, appCode: 'player', state: isOpenAt(at) ? 'running' : 'stopped', at },
  );
  const { feeder } = device;
  const ofFeeder =
    feeder === undefined
      ? []
      : open.flatMap((stretch) => beatsWithin(chance, stretch, silence)).map((at) => ({ feederId: feeder, at }));
  return {
    heartbeats: [...ofDevice, ...ofFeeder],
    intervals: isKiosk ? open.flatMap((stretch) => intervalsOf(device.id, stretch)) : [],
  };
};
