import { setImmediate as nextIteration } from 'node:timers/promises';
import type { RecordedPlay } from '@popsvc/contracts/events';
import { plays, playSpans, quarantine } from '@popsvc/read-models/tables';
import { createRowBatches, type RowBatches } from '../../engine/row-batches.ts';
import type { AppliedAt, BatchRange, BatchSession } from '../../engine/projection.ts';
import type { Source } from '../rows/fact-rows.ts';
import { quarantineRow } from './dynamic-plays.ts';
import {
  mapDynamicEvent,
  type MappedPlay,
  type MappingState,
  originOf,
  type PlayOrigin,
  type WaitReason,
} from './map-event.ts';
import {
  type FindNextPoint,
  indexRetryPoints,
  isSameGroup,
  retriedGroups,
  retriedScreens,
  type RetryPoint,
  type SchemaGroup,
} from './retry-points.ts';
import { groupsWaitingForScreens, readWaitingPages, type WaitingEvent } from './waiting-events.ts';

interface RetryResult {
  readonly at: AppliedAt;
  readonly reason: WaitReason;
  readonly mapped?: MappedPlay;
}

const isSameReason = (known: WaitReason, { code, reason, eventId, screens }: WaitReason): boolean =>
  known.code === code &&
  known.reason === reason &&
  known.eventId === eventId &&
  known.screens.join('\n') === screens.join('\n');

/**
 * Each retry uses the mappings and the registry as of its retry point, so the result does not depend on where batches end. Undefined if
 * nothing changed.
 */
const retryEvent = (
  mappingState: MappingState,
  { dynamicEvent, reason, releasedAt, triedAt }: WaitingEvent,
  group: SchemaGroup,
  findNextPoint: FindNextPoint,
): RetryResult | undefined => {
  if (releasedAt) {
    const result = mapDynamicEvent(mappingState, dynamicEvent, releasedAt.sequence);
    return 'play' in result ? { at: releasedAt, reason, mapped: result } : undefined;
  }
  let current = reason;
  let changed: RetryResult | undefined;
  // Begins at `triedAt`, which may be after the event's own sequence: a parked event is first mapped when an operator retries it.
  for (
    let point = findNextPoint(group, current.screens, triedAt.sequence);
    point;
    point = findNextPoint(group, current.screens, point.sequence)
  ) {
    const result = mapDynamicEvent(mappingState, dynamicEvent, point.sequence);
    if ('play' in result) return { at: point, reason: current, mapped: result };
    if (!isSameReason(current, result)) changed = { at: point, reason: result };
    current = result;
  }
  return changed;
};

const tables = { plays, playSpans, quarantine };

/** Time after which retries yield to the event loop. Without yielding, the process could not renew its lease. */
const maxBlockedMs = 50;

export interface ReleaseInput {
  readonly mappingState: MappingState;
  readonly retryPoints: readonly RetryPoint[];
  readonly addPlay: (
    source: Source,
    play: RecordedPlay,
    origin: PlayOrigin,
    to: Pick<RowBatches<keyof typeof tables>['of'], 'plays' | 'playSpans'>,
  ) => void;
}

/** Sequences after `from`, up to and including `to`. */
export interface ReleasedPage extends SchemaGroup {
  readonly from: string;
  readonly to: string;
}

/** Parameters are part of the URL: ClickHouse accepts 128 KiB per value, and URL encoding can triple the size. */
const [maxScreensAtOnce, maxScreenBytesAtOnce] = [500, 16_000];

const cutIntoParts = (screens: Iterable<string>): readonly (readonly string[])[] => {
  const parts: string[][] = [];
  let bytes = 0;
  for (const screen of screens) {
    const size = Buffer.byteLength(screen);
    const last = parts.at(-1);
    if (last && last.length < maxScreensAtOnce && bytes + size <= maxScreenBytesAtOnce) last.push(screen);
    else {
      parts.push([screen]);
      bytes = 0;
    }
    bytes += size;
  }
  return parts;
};

interface WaitingEventSearch {
  readonly group: SchemaGroup;
  readonly screens?: readonly string[];
}

/** Several searches may find the same event. */
async function* planSearches(
  session: BatchSession,
  { after }: BatchRange,
  points: readonly RetryPoint[],
): AsyncGenerator<WaitingEventSearch> {
  const groups: SchemaGroup[] = [];
  for (const group of retriedGroups(points)) if (!groups.some((other) => isSameGroup(group, other))) groups.push(group);
  for (const group of groups) yield { group };
  const screensOf = retriedScreens(points);
  if (screensOf.size === 0) return;
  const params = { networks: [...screensOf.keys()], after: after.toString() };
  for (const group of await session.rows<SchemaGroup>(groupsWaitingForScreens(session.generation), params)) {
    if (groups.some((other) => isSameGroup(group, other))) continue;
    for (const screens of cutIntoParts(screensOf.get(group.network)!)) yield { group, screens };
  }
}

const releasePage = async (
  session: BatchSession,
  { mappingState, addPlay }: ReleaseInput,
  findNextPoint: FindNextPoint,
  group: SchemaGroup,
  events: readonly WaitingEvent[],
): Promise<number> => {
  const open = createRowBatches(tables);
  let released = 0;
  let yieldedAt = performance.now();
  for (const event of events) {
    if (performance.now() - yieldedAt > maxBlockedMs) {
      await nextIteration();
      yieldedAt = performance.now();
    }
    const result = retryEvent(mappingState, event, group, findNextPoint);
    if (!result) continue;
    const { at, reason, mapped } = result;
    const { dynamicEvent } = event;
    open.of.quarantine.add(quarantineRow(dynamicEvent, reason, at, mapped));
    if (!mapped) continue;
    released += 1;
    addPlay(dynamicEvent.source, mapped.play, originOf(dynamicEvent, mapped), open.of);
  }
  await Promise.all(open.seal().map((insert) => session.insert(insert)));
  return released;
};

/** Returns the pages only when all released events are stored, so that the derived rows do not depend on the order of the pages. */
export const releaseWaitingEvents = async (
  session: BatchSession,
  range: BatchRange,
  input: ReleaseInput,
): Promise<readonly ReleasedPage[]> => {
  const pages: ReleasedPage[] = [];
  const findNextPoint = indexRetryPoints(input.retryPoints);
  for await (const { group, screens } of planSearches(session, range, input.retryPoints))
    for await (const { from, to, events } of readWaitingPages(session, range, group, screens))
      if ((await releasePage(session, input, findNextPoint, group, events)) > 0)
        pages.push({ ...group, from: from.toString(), to: to.toString() });
  return pages;
};
