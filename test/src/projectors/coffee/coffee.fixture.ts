import { coffeeDataset } from '@popsvc/read-models/datasets';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { reusableReadModels } from '../../support/test-read-models.ts';
import { smallRegistry } from '../../support/small-registry.ts';

/** Seconds after the first spot of the worked example (test/src/domain/audience-example.spec.ts). */
export const at = (seconds: number) => new Date(Date.parse('2026-08-20T14:00:00.000Z') + seconds * 1000).toISOString();

const watch = (from: number, to: number) => ({ startedAt: at(from), endedAt: at(to) });

/** A system with the small registry for each test, and the worked example's spots and person; with `others` as further projections. */
export const coffeeSystem = (...others: readonly string[]) => {
  const readModels = reusableReadModels();
  let system: TestSystem;
  beforeEach(async () => {
    system = await startTestSystem({ of: ['registry', 'coffee', ...others], readModels });
    await system.register(smallRegistry);
  });
  afterEach(() => system.close());
  return {
    get system() {
      return system;
    },
    /** Four spots of ten seconds, A to D. */
    spots: async () => {
      for (const [index, eventId] of ['A', 'B', 'C', 'D'].entries())
        await system.play({ eventId, playedAt: at(index * 10), durationMs: 10_000 });
    },
    person: (more: object = {}) =>
      system.detection({
        detectionId: 'person',
        startedAt: at(6),
        endedAt: at(31.4),
        watches: [watch(8, 9.2), watch(10, 19), watch(25, 25.3)],
        ...more,
      }),
    rows: () => system.rows(coffeeDataset),
    /** Projects after each of the steps. */
    projectAfterEach: async (...steps: (() => Promise<unknown>)[]) => {
      for (const step of steps) {
        await step();
        await system.project();
      }
    },
    /** Event, presence, watching, attention, and the flags from impression to view-through. */
    readMeasures: async () =>
      (await system.rows(coffeeDataset)).map((row) => [
        row['EVENT_ID'],
        row['DURATION_IMPRESSION'],
        row['WATCH_TIME'],
        row['ATTENTION'],
        [row['IS_IMPRESSION'], row['IS_WATCHED'], row['IS_GLANCE'], row['IS_VIEW'], row['IS_VIEW_THROUGH']],
      ]),
  };
};
