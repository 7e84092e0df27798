import { coffeeDataset } from '@popsvc/read-models/datasets';
import type { TestSystem } from '../../support/test-system.ts';

const at = (seconds: number) => new Date(Date.parse('2026-08-20T14:00:00.000Z') + seconds * 1000).toISOString();

/** Appends four plays, one of them twice, and a person in two revisions. */
export const appendTraffic = async (system: TestSystem): Promise<void> => {
  for (const [index, eventId] of ['A', 'B', 'C', 'D'].entries())
    await system.play({ eventId, playedAt: at(index * 10), durationMs: 10_000 });
  const person = { detectionId: 'person', startedAt: at(6), endedAt: at(31.4), watches: [] };
  await system.detection(person);
  await system.detection({ ...person, revision: 1, endedAt: at(16) });
  await system.play({ eventId: 'B', playedAt: at(50) });
};

/** Event id and seconds of presence of each row. */
export const readPresence = async (system: TestSystem) =>
  (await system.rows(coffeeDataset)).map((row) => [row['EVENT_ID'], row['DURATION_IMPRESSION']]);

/** The presence of the traffic. */
export const rightPresence = [
  ['A', 4],
  ['B', 6],
  ['C', 0],
  ['D', 0],
];
