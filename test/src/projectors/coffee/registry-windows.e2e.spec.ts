import { intakeStream } from '@popsvc/contracts/events';
import { liveBatchLimits } from '@popsvc/projectors/engine';
import { expect } from 'chai';
import { smallRegistry } from '../../support/small-registry.ts';
import { at, coffeeSystem } from './coffee.fixture.ts';
import { expectSameTables, rebuildGeneration } from '../rebuild.fixture.ts';
import { listEvents } from '../../support/list-events.ts';

const most = 45;
/** Unmerged rows count too: the former row of a play, its tombstone, and the new row. */
const rowsOfPlay = 3;
/** Seconds at which plays begin: a few at long intervals, a busy hour, and a busy minute. */
const starts = [
  ...Array.from({ length: 6 }, (_, index) => index * 7_200),
  ...Array.from({ length: 50 }, (_, index) => 100_000 + index * 60),
  ...Array.from({ length: 50 }, (_, index) => 200_000 + index * 0.5),
];

interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

describe('a registry change that makes more rows stale than one window holds', () => {
  const scene = coffeeSystem('watcher-summary');

  /** Projects, and returns the windows that were recomputed because of the registry. */
  const projected = async (name: string): Promise<readonly Window[]> => {
    const { writer } = scene.system;
    const windows = new Map<string, Window>();
    const watched: typeof writer = {
      ...writer,
      run: (query, options) => {
        const { fromMs, toMs } = (options?.params ?? {}) as Partial<Window>;
        if (query.includes(`INSERT INTO ${name.replace('-', '_')}_g`) && fromMs !== undefined && toMs !== undefined)
          windows.set(`${fromMs} ${toMs}`, { fromMs, toMs });
        return writer.run(query, options);
      },
    };
    await scene.system.projectOne(name, { writer: watched, limits: { ...liveBatchLimits, maxWindowRows: most } });
    return [...windows.values()];
  };
  const counts = (windows: readonly Window[], isStale: (second: number) => boolean = () => true) => {
    const ms = starts.filter(isStale).map((second) => Date.parse(at(second)));
    return windows.map(({ fromMs, toMs }) => ms.filter((start) => start >= fromMs && start < toMs).length);
  };
  const screenOf = (second: number) => (second % 3 < 1 ? 'screen-1' : 'screen-2');

  beforeEach(async () => {
    await scene.system.appendAll(
      intakeStream('pop', 1, 'acme', Date.now()),
      listEvents(
        'PlaysRecorded',
        starts.map((second, index) => ({
          eventId: `play-${index}`,
          screenId: screenOf(second),
          campaignId: 'C-100',
          creativeId: 'CR-1',
          playedAt: at(second),
          durationMs: 10_000,
        })),
        7,
      ),
    );
    for (const second of [100_010, 200_000, 200_030])
      await scene.system.detection({ startedAt: at(second), endedAt: at(second + 20) });
    await scene.system.project();
  });

  it('is cut into windows by stale rows, and gives the same rows as a registry known from the start', async () => {
    await scene.system.register({
      metric_definitions: [{ network: 1, version: 2, effective_from: at(-1), thresholds: { impression_ms: 9_000 } }],
    });
    for (const name of ['coffee', 'watcher-summary']) {
      const windows = await projected(name);
      if (name === 'coffee') {
        const found = counts(windows);
        expect(found.reduce((sum, count) => sum + count)).to.equal(starts.length);
        expect(found.length).to.be.within(starts.length / most, 2 + (rowsOfPlay * starts.length) / most);
        // Each detection adds rows.
        expect(Math.max(...found)).to.be.lessThan(most);
      } else expect(windows).to.have.length(1);
      await rebuildGeneration(scene.system, 2, liveBatchLimits, name);
      await expectSameTables(scene.system, [2, 1], name);
    }
    const flags = (await scene.rows()).map((row) => row['IS_IMPRESSION']);
    expect(new Set(flags)).to.deep.equal(new Set([0, 1]));
  });

  it('is not cut by rows that it leaves unchanged', async () => {
    await scene.system.register({
      devices: [{ ...smallRegistry.devices[0], timezone: 'Asia/Tokyo', effective_from: at(150_000) }],
    });
    const windows = await projected('coffee');
    const isStale = (second: number) => second >= 150_000 && screenOf(second) === 'screen-1';
    const found = counts(windows, isStale);
    expect(found.reduce((sum, count) => sum + count)).to.equal(starts.filter(isStale).length);
    expect(found.length).to.be.at.most(2);
    await rebuildGeneration(scene.system, 2, liveBatchLimits);
    await expectSameTables(scene.system, [2, 1]);
  });
});
