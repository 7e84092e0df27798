import type { PopRecorded } from '@popsvc/contracts/events';
import { plays, playSpans, quarantine } from '@popsvc/read-models/tables';
import { type RowBatches, createRowBatches } from '../../engine/row-batches.ts';
import type { BatchRange, BatchSession, AppliedAt } from '../../engine/projection.ts';
import type { Source } from '../rows/fact-rows.ts';
import { type Fitted, type Known, type Origin, originOf, tryMappings, type Waiting } from './map-event.ts';
import { quarantineRow } from './dynamic-plays.ts';
import {
  type Group,
  isSameGroup,
  listedScreens,
  mappedGroups,
  type NextPoint,
  retryIndex,
  type RetryPoint,
} from './retry-points.ts';
import { groupsWithoutZone, type WaitingEvent, waitingPages } from './waiting-events.ts';

/** What a batch made of an event that waited. */
interface Settled {
  readonly at: AppliedAt;
  /** Why it waits, or last waited. */
  readonly waiting: Waiting;
  readonly fitted?: Fitted;
}

const isTold = (known: Waiting, { code, reason, eventId, screens }: Waiting): boolean =>
  known.code === code &&
  known.reason === reason &&
  known.eventId === eventId &&
  known.screens.join('\n') === screens.join('\n');

/**
 * Tries an event at every point of the batch that concerns it, each time as the log stood there, so that it does not matter
 * where batches begin and end. Undefined when nothing changed.
 */
const settle = (
  known: Known,
  { sent, waiting, released, triedAt }: WaitingEvent,
  group: Group,
  nextPoint: NextPoint,
): Settled | undefined => {
  if (released) {
    const again = tryMappings(known, sent, released.position);
    return 'play' in again ? { at: released, waiting, fitted: again } : undefined;
  }
  let [now, changed]: [Waiting, Settled | undefined] = [waiting, undefined];
  // What came before it was tried last it was tried with: one that was set aside was not tried where it stands.
  // The screens an event waits for may be others from one point to the next.
  for (
    let point = nextPoint(group, now.screens, triedAt.position);
    point;
    point = nextPoint(group, now.screens, point.position)
  ) {
    const tried = tryMappings(known, sent, point.position);
    if ('play' in tried) return { at: point, waiting: now, fitted: tried };
    if (!isTold(now, tried)) changed = { at: point, waiting: tried };
    now = tried;
  }
  return changed;
};

const tables = { plays, playSpans, quarantine };
/** Where the rows of a play go. */
type PlayBatches = Pick<RowBatches<keyof typeof tables>['of'], 'plays' | 'playSpans'>;

interface Releasing {
  readonly known: Known;
  readonly points: readonly RetryPoint[];
  /** Adds the receipt of a play and its spans. */
  readonly addPlay: (source: Source, play: PopRecorded, origin: Origin, to: PlayBatches) => void;
}

/** Where released events stand that are plays now: those of a group after `from`, up to and including `to`. */
interface ReleasedPage extends Group {
  readonly from: string;
  readonly to: string;
}

/** Screens travel in the address of the query: ClickHouse takes values of 128 KiB there, in which a byte may count as three. */
const [screensAtOnce, screenBytesAtOnce] = [500, 16_000];

const cutUp = (screens: Iterable<string>): readonly (readonly string[])[] => {
  const parts: string[][] = [];
  let bytes = 0;
  for (const screen of screens) {
    const size = Buffer.byteLength(screen);
    const last = parts.at(-1);
    if (last && last.length < screensAtOnce && bytes + size <= screenBytesAtOnce) last.push(screen);
    else {
      parts.push([screen]);
      bytes = 0;
    }
    bytes += size;
  }
  return parts;
};

interface Search {
  readonly group: Group;
  readonly screens?: readonly string[];
}

async function* searches(
  steps: BatchSession,
  { after }: BatchRange,
  points: readonly RetryPoint[],
): AsyncGenerator<Search> {
  const mapped: Group[] = [];
  for (const group of mappedGroups(points)) if (!mapped.some((other) => isSameGroup(group, other))) mapped.push(group);
  for (const group of mapped) yield { group };
  const listed = listedScreens(points);
  if (listed.size === 0) return;
  const given = { networks: [...listed.keys()], after: after.toString() };
  for (const group of await steps.rows<Group>(groupsWithoutZone(steps.generation), given)) {
    if (mapped.some((other) => isSameGroup(group, other))) continue;
    for (const screens of cutUp(listed.get(group.network)!)) yield { group, screens };
  }
}

/** Adds the rows of those a batch releases, and says how many. */
const releaseFrom = async (
  steps: BatchSession,
  { known, addPlay }: Releasing,
  nextPoint: NextPoint,
  group: Group,
  events: readonly WaitingEvent[],
): Promise<number> => {
  const open = createRowBatches(tables);
  let released = 0;
  for (const event of events) {
    const settled = settle(known, event, group, nextPoint);
    if (!settled) continue;
    const { at, waiting, fitted } = settled;
    open.of.quarantine.add(quarantineRow(event.sent, waiting, at, fitted));
    if (!fitted) continue;
    released += 1;
    addPlay(event.sent.source, fitted.play, originOf(event.sent), open.of);
  }
  await Promise.all(open.seal().map((insert) => steps.insert(insert)));
  return released;
};

/**
 * Tries the events that wait again where the batch brought a mapping or a device they may have waited for, and makes plays
 * of those that fit. They are read in pages, so a million of them take no more memory than a few thousand. What is to be
 * computed from them is computed when all of them are facts: it is the same then, whatever is computed first.
 */
export const release = async (
  steps: BatchSession,
  range: BatchRange,
  releasing: Releasing,
): Promise<readonly ReleasedPage[]> => {
  const pages: ReleasedPage[] = [];
  const nextPoint = retryIndex(releasing.points);
  for await (const { group, screens } of searches(steps, range, releasing.points))
    for await (const { from, to, events } of waitingPages(steps, range, group, screens))
      if ((await releaseFrom(steps, releasing, nextPoint, group, events)) > 0)
        pages.push({ ...group, from: from.toString(), to: to.toString() });
  return pages;
};
