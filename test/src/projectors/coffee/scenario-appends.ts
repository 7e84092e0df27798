import { intakeStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { ScenarioEvent } from './audience-scenario.ts';
import { type FeederEvent, feederEvent } from './feeder-scenario.ts';

type Of<Kind extends ScenarioEvent['kind']> = Extract<ScenarioEvent, { kind: Kind }>;

export interface AppendedEvent {
  readonly stream: string;
  readonly type: string;
  readonly data: unknown;
}

const playEvent = (network: number, play: Of<'play'>): AppendedEvent => ({
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

const detectionEvent = (network: number, detection: Of<'detection'>): AppendedEvent => ({
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

/** Converts an event of a scenario to an event of the log. */
const toLogEvent = (network: number, event: ScenarioEvent): AppendedEvent => {
  if (event.kind === 'play') return playEvent(network, event);
  if (event.kind === 'detection') return detectionEvent(network, event);
  return feederEvent(network, event satisfies FeederEvent);
};

/** Events that follow each other into one stream go into one append; the order between streams is kept. */
export const groupAppends = (
  network: number,
  all: readonly ScenarioEvent[],
): { stream: string; events: AppendedEvent[] }[] => {
  const appends: { stream: string; events: AppendedEvent[] }[] = [];
  for (const event of all.map((each) => toLogEvent(network, each))) {
    const last = appends.at(-1);
    if (last?.stream === event.stream) last.events.push(event);
    else appends.push({ stream: event.stream, events: [event] });
  }
  return appends;
};
