import { intakeStream } from '@popsvc/contracts/events';
import { findReplay, planReplay, registerProjection } from '@popsvc/platform/postgres';
import { liveBatchLimits } from '@popsvc/projectors/engine';
import { runReplay } from '@popsvc/projectors/engine/replay';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import fc from 'fast-check';
import { listEvents } from '../support/list-events.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestServices, type TestServices } from '../support/test-services.ts';
import { bearer, issueToken } from './test-query-api.fixture.ts';

export const datasets = ['coffee', 'watcher-summary'] as const;
export type DatasetName = (typeof datasets)[number];

const at = (second: number) => new Date(Date.parse('2026-08-20T14:00:00.000Z') + second * 1_000).toISOString();
const second = fc.integer({ min: 0, max: 60 });
const id = fc.integer({ min: 1, max: 30 });

/** Steps that change the rows of reports. */
export const rowSteps = {
  plays: fc.record({
    kind: fc.constant('plays' as const),
    ids: fc.array(id, { minLength: 1 }),
    campaign: fc.integer({ min: 100, max: 102 }),
  }),
  detection: fc.record({ kind: fc.constant('detection' as const), id: fc.integer({ min: 1, max: 5 }), second }),
  heartbeat: fc.record({ kind: fc.constant('heartbeat' as const), second }),
  move: fc.record({ kind: fc.constant('move' as const), second, location: fc.integer({ min: 12, max: 13 }) }),
};

/** Steps that change names that reports show. */
export const nameSteps = {
  rename: fc.record({
    kind: fc.constant('rename' as const),
    of: fc.constantFrom('sites', 'campaigns', 'vendors', 'cameras', 'networks'),
    index: fc.integer({ min: 0, max: 1 }),
    name: fc.stringMatching(/^[a-z]{3,8}$/),
  }),
  learn: fc.record({ kind: fc.constant('learn' as const), campaign: fc.integer({ min: 101, max: 102 }) }),
  cameras: fc.record({ kind: fc.constant('cameras' as const), feeder: fc.integer({ min: 5, max: 6 }) }),
};

type ValueOf<Each> = Each extends fc.Arbitrary<infer Value> ? Value : never;
export type Step =
  | { [Kind in keyof typeof rowSteps]: ValueOf<(typeof rowSteps)[Kind]> }[keyof typeof rowSteps]
  | { [Kind in keyof typeof nameSteps]: ValueOf<(typeof nameSteps)[Kind]> }[keyof typeof nameSteps];

const registry = {
  ...smallRegistry,
  sites: [2, 3].map((site) => ({ ...smallRegistry.sites[0], id: site, name: `Site ${site}` })),
  locations: [2, 3].map((site) => ({ id: site + 10, name: `Floor of ${site}`, site })),
  devices: [{ ...smallRegistry.devices[0], location: 12 }],
  feeders: [smallRegistry.feeders[0], { id: 6, name: 'Other feed', device: 4 }],
};

const window = 'from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';

/** Services with a small network whose reports the steps change. */
export const startChangingReport = async () => {
  const services: TestServices = await startTestServices({ of: ['registry', ...datasets] });
  const { postgres } = services;
  for (const { name, version } of allProjections) await registerProjection(postgres, name, version);
  const headers = bearer((await issueToken(services.queryUrl, postgres, [1])).token);
  await services.register(registry);
  let revision = 0;
  /** Generations after replays: the live one and those before it are projected. */
  const generations = new Map<string, number[]>();

  const apply = async (step: Step): Promise<unknown> => {
    switch (step.kind) {
      case 'plays': {
        const playOf = (play: number) => ({
          eventId: `P${play}`,
          screenId: 'screen-1',
          campaignId: `C-${step.campaign}`,
          creativeId: 'CR-1',
          playedAt: at(play * 2),
          durationMs: 10_000,
        });
        return services.appendAll(
          intakeStream('pop', 1, 'acme', Date.now()),
          listEvents('PlaysRecorded', step.ids.map(playOf), step.ids.length),
        );
      }
      case 'detection': {
        revision += 1;
        const times = { startedAt: at(step.second), endedAt: at(step.second + 8) };
        const more = { ...times, watches: [times], feederId: 5 };
        return services.detection({ detectionId: `D${step.id}`, revision, ...more });
      }
      case 'heartbeat':
        return services.heartbeat({ deviceId: 4, feederId: 5, at: at(step.second) });
      case 'move':
        return services.register({
          devices: [{ ...registry.devices[0], location: step.location, effective_from: at(step.second) }],
        });
      case 'rename': {
        const entities: readonly object[] = registry[step.of];
        return services.register({ [step.of]: [{ ...entities[step.index % entities.length], name: step.name }] });
      }
      case 'learn':
        return services.register({
          campaigns: [
            { id: step.campaign, network: 1, external_id: `C-${step.campaign}`, name: `Campaign ${step.campaign}` },
          ],
        });
      case 'cameras':
        return services.register({ cameras: [{ id: 60, name: 'New camera', device: 4, feeder: step.feeder }] });
    }
  };

  return {
    services,
    headers,
    window,
    /** Applies a step and projects it. `putsOff`: batches put their networks off, whose rows are then derived in units. */
    async take(step: Step, putsOff: boolean) {
      await apply(step);
      const limits = { ...liveBatchLimits, ...(putsOff && { unitPairs: 1, batchPairs: 1 }) };
      await services.project(limits, (name) => generations.get(name) ?? [1]);
    },
    get: async (dataset: string, path: string, query = '') => {
      const response = await fetch(`${services.queryUrl}/api/v1/${dataset}${path}?${query}`, { headers });
      const { status, headers: answered } = response;
      return { status, headers: answered, asOf: answered.get('x-data-as-of')!, text: await response.text() };
    },
    async replay(dataset: DatasetName): Promise<void> {
      const projection = allProjections.find(({ name }) => name === dataset)!;
      const { version } = projection;
      const planned = (await planReplay(postgres, { projection: dataset, version, verify: true }))!;
      const dependencies = { ...services.parts, postgres, projections: allProjections, keepMs: 3_600_000 };
      await runReplay(dependencies, planned, projection, new AbortController().signal);
      expect(await findReplay(postgres, planned.id)).to.include({ state: 'done', verified: true, error: null });
      generations.set(dataset, [...(generations.get(dataset) ?? [1]), planned.to]);
    },
    close: () => services.close(),
  };
};
export type ChangingReport = Awaited<ReturnType<typeof startChangingReport>>;
