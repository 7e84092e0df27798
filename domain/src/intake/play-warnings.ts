import type { PopEvent } from '@popsvc/contracts/commands';
import {
  type EventWarning,
  type EventWarnings,
  maxListedWarnings,
  maxNearestLookups,
  PLAY_REFERENCES,
  type PlayReference,
} from '@popsvc/contracts/responses';
import { canonicalContent } from './received-items.ts';

export interface RegisteredIds {
  readonly known: Readonly<Record<PlayReference, Pick<ReadonlySet<string>, 'has'>>>;
  /** Returns a registered id that is spelled almost like `unknownId`. */
  readonly findNearest: (field: PlayReference, unknownId: string) => string | undefined;
}

export interface FoundWarnings {
  readonly response: EventWarnings;
  readonly unknownPlays: Readonly<Record<PlayReference, number>>;
}

const entities = {
  screenId: { code: 'UNKNOWN_SCREEN', name: 'screen', shown: 'its place' },
  campaignId: { code: 'UNKNOWN_CAMPAIGN', name: 'campaign', shown: 'its name' },
  creativeId: { code: 'UNKNOWN_CREATIVE', name: 'creative', shown: 'its title' },
} as const;

/**
 * Warns once for each unregistered id, and for each event id that the request repeats with other content. An empty id causes no warning.
 */
export const findPlayWarnings = (
  plays: readonly PopEvent[],
  { known, findNearest }: RegisteredIds,
  listField: string,
): FoundWarnings => {
  const warnings: EventWarning[] = [];
  let warningCount = 0;
  let nearestLookups = 0;
  const unknownPlays = { screenId: 0, campaignId: 0, creativeId: 0 };
  const reported = {
    screenId: new Set<string>(),
    campaignId: new Set<string>(),
    creativeId: new Set<string>(),
    eventId: new Set<string>(),
  };
  const firstOfId = new Map<string, number>();
  const firstContents = new Map<string, string>();

  const report = (field: keyof typeof reported, value: string, create: () => EventWarning): void => {
    if (reported[field].has(value)) return;
    reported[field].add(value);
    warningCount += 1;
    if (warnings.length < maxListedWarnings) warnings.push(create());
  };

  const createUnknown = (field: PlayReference, value: string, index: number): EventWarning => {
    const { code, name, shown } = entities[field];
    nearestLookups += 1;
    const nearest = nearestLookups > maxNearestLookups ? undefined : findNearest(field, value);
    const message = `There is no ${name} with this id in your network. Reports show ${shown} once the ${name} is registered.`;
    return { path: `${listField}[${index}].${field}`, code, value, message, ...(nearest !== undefined && { nearest }) };
  };

  const createConflict = (value: string, index: number, firstIndex: number): EventWarning => ({
    path: `${listField}[${index}].eventId`,
    code: 'CONFLICTING_EVENT_ID',
    value,
    message: `${listField}[${firstIndex}] has the same id and other content; the first one counts.`,
  });

  const checkReference = (field: PlayReference, value: string, index: number): void => {
    if (known[field].has(value) || value === '') return;
    unknownPlays[field] += 1;
    report(field, value, () => createUnknown(field, value, index));
  };

  const checkRepeatedId = (play: PopEvent, index: number): void => {
    const { eventId } = play;
    const firstIndex = firstOfId.get(eventId);
    if (firstIndex === undefined) firstOfId.set(eventId, index);
    else if (!reported.eventId.has(eventId)) {
      const content = firstContents.get(eventId) ?? canonicalContent(plays[firstIndex]!);
      firstContents.set(eventId, content);
      if (content !== canonicalContent(play))
        report('eventId', eventId, () => createConflict(eventId, index, firstIndex));
    }
  };

  for (const [index, play] of plays.entries()) {
    for (const field of PLAY_REFERENCES) checkReference(field, play[field], index);
    if (plays.length > 1) checkRepeatedId(play, index);
  }
  return { response: warningCount === 0 ? {} : { warnings, warningCount }, unknownPlays };
};
