import type { PopRecorded } from '@popsvc/contracts/events';
import { plays, playSpans, quarantine } from '@popsvc/contracts/tables';
import { type OpenBatches, openBatches } from '../run/open-batches.ts';
import type { Range, Steps } from '../run/projection.ts';
import type { Source } from '../run/source.ts';
import { computeAgain, type Recipe } from '../run/recompute.ts';
import { quarantineRow } from './quarantine-row.ts';
import { type Group, isSameGroup, listedScreens, mappedGroups, type RetryPoint } from './retry-points.ts';
import { settle } from './settle.ts';
import type { Known } from './try-mappings.ts';
import { type Page, waitingPages } from './waiting-pages.ts';
import { groupsWithoutZone } from './waiting.sql.ts';

const tables = { plays, playSpans, quarantine };
/** Where the rows of a play go. */
export type PlayBatches = Pick<OpenBatches<keyof typeof tables>['of'], 'plays' | 'playSpans'>;

export interface Releasing {
  readonly known: Known;
  readonly points: readonly RetryPoint[];
  readonly recipe: Recipe;
  /** Adds the receipt of a play and its spans. */
  readonly addPlay: (to: PlayBatches, source: Source, play: PopRecorded) => void;
}

/** Screens travel beside the query, which has its limits. */
const screensAtOnce = 500;

interface Search {
  readonly group: Group;
  readonly screens?: readonly string[];
}

async function* searches(steps: Steps, { after }: Range, points: readonly RetryPoint[]): AsyncGenerator<Search> {
  const mapped: Group[] = [];
  for (const group of mappedGroups(points)) if (!mapped.some((other) => isSameGroup(group, other))) mapped.push(group);
  for (const group of mapped) yield { group };
  for (const [network, listed] of listedScreens(points)) {
    const found = await steps.rows<{ vendor: string; schema_version: string }>(groupsWithoutZone(steps.generation), {
      network,
      after: after.toString(),
    });
    for (const { vendor, schema_version: schemaVersion } of found) {
      const group = { network, vendor, schemaVersion };
      if (mapped.some((other) => isSameGroup(group, other))) continue;
      const screens = [...listed];
      for (let at = 0; at < screens.length; at += screensAtOnce)
        yield { group, screens: screens.slice(at, at + screensAtOnce) };
    }
  }
}

/** Plays and the state of the events first: what is released is found again by it, should this end midway. */
const releasePage = async (
  steps: Steps,
  range: Range,
  { known, points, recipe, addPlay }: Releasing,
  group: Group,
  { from, to, events }: Page,
): Promise<void> => {
  const open = openBatches(tables);
  let released = 0;
  for (const event of events) {
    const settled = settle(known, event, group, points);
    if (!settled) continue;
    const { at, waiting, fitted } = settled;
    open.of.quarantine.add(quarantineRow(event.sent, waiting, at, fitted));
    if (!fitted) continue;
    released += 1;
    addPlay(open.of, event.sent.source, fitted.play);
  }
  await Promise.all(open.seal().map((insert) => steps.insert(insert)));
  if (released > 0)
    await computeAgain(steps, recipe, range, 'released', { ...group, from: from.toString(), to: to.toString() });
};

/**
 * Tries the events that wait again where the batch brought a mapping or a device they may have waited for. They are read
 * in pages, so a million of them take no more memory than a few thousand.
 */
export const release = async (steps: Steps, range: Range, releasing: Releasing): Promise<void> => {
  for await (const { group, screens } of searches(steps, range, releasing.points))
    for await (const page of waitingPages(steps, range, group, screens))
      await releasePage(steps, range, releasing, group, page);
};
