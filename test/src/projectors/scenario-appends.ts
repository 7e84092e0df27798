import { intakeStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { Told } from './audience-scenario.ts';
import { type FeederTold, feederTold } from './feeder-scenario.ts';

type Of<Kind extends Told['kind']> = Extract<Told, { kind: Kind }>;

export interface ToldEvent {
  readonly stream: string;
  readonly type: string;
  readonly data: unknown;
}

const playTold = (network: number, play: Of<'play'>): ToldEvent => ({
  stream: intakeStream('pop', network, `v${network}`, 0),
  type: 'PopRecorded',
  data: {
    eventId: play.eventId,
    screenId: 'screen',
    campaignId: 'C',
    creativeId: 'CR',
    playedAt: instantOf(play.startMs),
    durationMs: play.durationMs,
  },
});

const detectionTold = (network: number, detection: Of<'detection'>): ToldEvent => ({
  stream: intakeStream('detection', network, `v${network}`, 0),
  type: 'DetectionRecorded',
  data: {
    detectionId: detection.detectionId,
    revision: detection.revision,
    deviceId: network,
    watcherId: Number(detection.detectionId.slice(1)),
    startedAt: instantOf(detection.from),
    endedAt: instantOf(detection.to),
    distance: [],
    watches: detection.watches.map(({ from, to }) => ({ startedAt: instantOf(from), endedAt: instantOf(to) })),
    population: detection.population,
    ...(detection.gender !== undefined && { gender: detection.gender }),
    ...(detection.age !== undefined && { age: detection.age }),
  },
});

/** What the log holds of what was told. */
export const toldEvent = (network: number, told: Told): ToldEvent => {
  if (told.kind === 'play') return playTold(network, told);
  if (told.kind === 'detection') return detectionTold(network, told);
  return feederTold(network, told satisfies FeederTold);
};

/** Events that follow each other into one stream go into one append; between streams the order of telling is kept. */
export const appendsOf = (network: number, told: readonly Told[]): { stream: string; events: ToldEvent[] }[] => {
  const appends: { stream: string; events: ToldEvent[] }[] = [];
  for (const event of told.map((each) => toldEvent(network, each))) {
    const last = appends.at(-1);
    if (last?.stream === event.stream) last.events.push(event);
    else appends.push({ stream: event.stream, events: [event] });
  }
  return appends;
};
