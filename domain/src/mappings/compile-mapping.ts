import { PopEvent } from '@popsvc/contracts/commands';
import { describeZodIssue, shortenValue, toErrorDetails } from '@popsvc/contracts/errors';
import type { RecordedPlay } from '@popsvc/contracts/events';
import type { Mapping } from '@popsvc/contracts/mappings';
import { instantOf } from '@popsvc/contracts/time';
import { zoneOffset } from '@popsvc/contracts/time-zones';
import { parse, v5 } from 'uuid';
import { checkPlayedAt } from '../intake/index.ts';
import { type FieldReaders, fieldReaders, type TextTarget } from './field-readers.ts';
import { joined, type MappingContext, type MappingResult, Trouble } from './mapping-result.ts';
import { findStartZone, type PlaySpan, resolveSpan, readSpan } from './play-span.ts';

/** Must never change: a play without an id would get a different id when it is resent, and would count twice. */
const namespace = parse('3c772c69-6be2-43d8-8c3c-6e56e9242fd9');

/** The fields from which an event id is derived if the vendor sends none: a resent play has the same fields. */
interface PlayTraits {
  readonly screenId: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly creativeId: string;
  readonly campaignId: string;
}

/** The times must have the form `2026-08-20T14:03:07.250Z`. */
const derivedId = ({ screenId, startedAt, endedAt, creativeId, campaignId }: PlayTraits): string =>
  v5(JSON.stringify([screenId, startedAt, endedAt, creativeId, campaignId]), namespace);

export type MapEvent = (event: unknown, surroundings: MappingContext) => MappingResult;

type Texts = { [Target in TextTarget]?: string };

const needed: ReadonlySet<TextTarget> = new Set(['screenId', 'campaignId', 'creativeId']);

const readTexts = (readers: FieldReaders, event: unknown, troubles: Trouble[]): Texts => {
  const found: Texts = {};
  for (const { target, at, read } of readers.texts) {
    const text = read(event);
    if (text instanceof Trouble) troubles.push(text);
    else if (text !== undefined) found[target] = text;
    else if (needed.has(target)) troubles.push(new Trouble('missing', `${at} is missing`));
  }
  for (const { at, read } of readers.required)
    if (read(event) === undefined) troubles.push(new Trouble('missing', `${at} is missing`));
  return found;
};

type Draft = Omit<RecordedPlay, 'eventId'> & { readonly eventId?: string };

const draftOf = ({ screenId, campaignId, creativeId, ...texts }: Texts, span: PlaySpan): Draft => ({
  screenId: screenId!,
  campaignId: campaignId!,
  creativeId: creativeId!,
  ...texts,
  playedAt: instantOf(span.startMs),
  durationMs: span.durationMs,
});

const withId = (draft: Draft, { startMs, durationMs }: PlaySpan): RecordedPlay => {
  const { eventId = derivedId({ ...draft, startedAt: draft.playedAt, endedAt: instantOf(startMs + durationMs) }) } =
    draft;
  return { ...draft, eventId };
};

/** The event id may be missing, since it can be derived. */
const beyondSchema = (draft: Draft): Trouble | undefined => {
  const read = PopEvent.safeParse({ eventId: 'derived', ...draft }, { error: describeZodIssue });
  if (read.success) return undefined;
  return joined(
    toErrorDetails(read.error.issues).map(({ path, message }) => new Trouble('invalid', `${path} ${message}`)),
  );
};

const outOfTime = (startMs: number, { receivedAtMs, maxAgeDays }: MappingContext): Trouble | undefined => {
  const impossible = checkPlayedAt(startMs, receivedAtMs);
  if (impossible !== undefined) return new Trouble('invalid', `playedAt ${impossible}`);
  const tooOld = checkPlayedAt(startMs, receivedAtMs, maxAgeDays);
  return tooOld === undefined ? undefined : new Trouble('too_old', `playedAt ${tooOld}`);
};

export const compileMapping = (mapping: Mapping): MapEvent => {
  const readers = fieldReaders(mapping);
  const attempt = (texts: Texts, event: unknown, surroundings: MappingContext, troubles: Trouble[]) => {
    const given = readSpan(readers, event, troubles);
    const context = readers.context(event);
    if (context instanceof Trouble) troubles.push(context);
    if (troubles.length > 0 || !given || context instanceof Trouble) return joined(troubles);
    const span = resolveSpan(given, readers, {
      offsetAt(ms) {
        const zone = surroundings.zoneOf(texts.screenId!, ms);
        return zone === undefined ? undefined : zoneOffset(zone)(ms);
      },
      // The reason names the screen, because the zone is usually unknown if the id of the screen is misspelled.
      describeZone: () => `the time zone of the screen ${shortenValue(texts.screenId)}`,
    });
    if (span instanceof Trouble) return span;
    const refused = outOfTime(span.startMs, surroundings);
    if (refused) return refused;
    const draft = { ...draftOf(texts, span), ...(context && { context }) };
    const beyond = beyondSchema(draft);
    if (beyond) return beyond;
    const zone = findStartZone(given, () => surroundings.zoneOf(texts.screenId!, span.startMs));
    return { play: withId(draft, span), ...(zone !== undefined && { zone }) };
  };
  return (event, surroundings) => {
    const troubles: Trouble[] = [];
    const texts = readTexts(readers, event, troubles);
    const outcome = attempt(texts, event, surroundings, troubles);
    if (!(outcome instanceof Trouble)) return outcome;
    const { code, reason } = outcome;
    return { unfit: { code, reason }, ...(texts.eventId !== undefined && { eventId: texts.eventId }) };
  };
};

/** To map many events, compile the mapping once. */
export const mapEvent = (mapping: Mapping, event: unknown, surroundings: MappingContext): MappingResult =>
  compileMapping(mapping)(event, surroundings);
