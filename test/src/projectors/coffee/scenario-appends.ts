import { intakeStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { ScenarioEvent } from './audience-scenario.ts';
import { type FeederEvent, feederEvent } from './feeder-scenario.ts';
import { listEvent } from '../../support/list-events.ts';

type Of<Kind extends ScenarioEvent['kind']> = Extract<ScenarioEvent, { kind: Kind }>;

export interface AppendedEvent {
  readonly stream: string;
  readonly type: string;
  readonly data: unknown;
}

const playEvent = (network: number, play: Of<'play'>): AppendedEvent => ({
  stream: intakeStream('pop', network, `v${network}`, 0),
  ...listEvent('PlaysRecorded', {
    eventId: play.eventId,
    screenId: 'screen',
    campaignId: 'C',
    creativeId: 'CR',
    playedAt: instantOf(play.startMs),
    durationMs: play.durationMs,
  }),
});

const detectionEvent = (network: number, detection: Of<'detection'>): AppendedEvent => ({
  stream: intakeStream('detection', network, `v${network}`, 0),
  ...listEvent('DetectionsRecorded', {
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
  }),
});

/** Converts an event of a scenario to an event of the log. */
const toLogEvent = (network: number, event: ScenarioEvent): AppendedEvent => {
  if (event.kind === 'play') return playEvent(network, event);
  if (event.kind === 'detection') return detectionEvent(network, event);
  return feederEvent(network, event satisfies FeederEvent);
};

/** Joins two events with lists of items to one. Returns undefined if they are not of the same type, or have no lists. */
const joinLists = (one: AppendedEvent, other: AppendedEvent): AppendedEvent | undefined => {
  if (one.type !== other.type) return undefined;
  const lists = [one.data, other.data].map((data) => Object.entries(data as object) as [string, unknown][]);
  const [[name, first], [, second]] = lists.map(([entry]) => entry) as [[string, unknown], [string, unknown]];
  if (!Array.isArray(first) || !Array.isArray(second)) return undefined;
  return { ...one, data: { [name]: [...(first as unknown[]), ...(second as unknown[])] } };
};

/**
 * Events that follow each other into one stream go into one append; the order between streams is kept. Of each three plays,
 * detections or heartbeats that follow each other, the first two are one event.
 */
export const groupAppends = (
  network: number,
  all: readonly ScenarioEvent[],
): { stream: string; events: AppendedEvent[] }[] => {
  const appends: { stream: string; events: AppendedEvent[] }[] = [];
  const isJoined = new Set<AppendedEvent>();
  for (const event of all.map((each) => toLogEvent(network, each))) {
    const last = appends.at(-1);
    const joined =
      last?.stream === event.stream && last.events.length % 2 === 1 && joinLists(last.events.at(-1)!, event);
    if (joined && !isJoined.has(last.events.at(-1)!)) {
      last.events[last.events.length - 1] = joined;
      isJoined.add(joined);
    } else if (last?.stream === event.stream) last.events.push(event);
    else appends.push({ stream: event.stream, events: [event] });
  }
  return appends;
};
