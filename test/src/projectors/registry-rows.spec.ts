import { defaultThresholds } from '@popsvc/contracts/metrics';
import type { LogItem } from '@popsvc/projectors/engine';
import { registryTables } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { createRegistryItems } from './registry-items.fixture.ts';
import { projectionNamed } from './replay/replay-system.fixture.ts';

/** Items of a registry in which places change and change back, and thresholds change. */
const listItems = (): readonly LogItem[] => {
  const items: LogItem[] = [];
  const item = createRegistryItems();
  const add = (...given: Parameters<typeof item>) => void items.push(item(...given));
  const device = (location: number, more: object = {}) => ({
    id: 1,
    name: 'Player',
    location,
    screen_ids: ['screen-1'],
    ...more,
  });
  add('networks', 'Registered', { id: 1, name: 'Network', timezone: 'Europe/London' });
  for (const id of [1, 2]) {
    add('sites', 'Registered', { id, name: `Site ${id}`, network: 1, timezone: 'Europe/London' });
    add('locations', 'Registered', { id, name: `Location ${id}`, site: id });
  }
  add('devices', 'Registered', device(1));
  add('devices', 'Registered', { id: 2, name: 'Other', location: 2, screen_ids: ['screen-2'] });
  add('feeders', 'Registered', { id: 1, name: 'Feeder', device: 1 });
  for (const location of [2, 1])
    add('devices', 'Changed', device(location, { effective_from: '2026-08-01T00:00:00Z' }));
  for (const feeds of [2, 1]) add('feeders', 'Changed', { id: 1, name: 'Feeder', device: feeds });
  for (const timezone of ['Asia/Tokyo', 'Europe/London'])
    add('sites', 'Changed', { id: 1, name: 'Site 1', network: 1, timezone });
  for (const timezone of ['America/Bogota', 'Europe/London'])
    add('networks', 'Changed', { id: 1, name: 'Network', timezone });
  for (const version of [1, 2])
    add('metric_definitions', 'Registered', {
      network: 1,
      version,
      effective_from: `2026-08-0${version}T00:00:00Z`,
      thresholds: { ...defaultThresholds, glance_ms: version * 100 },
    });
  add('devices', 'Changed', device(1, { screen_ids: ['screen-1', 'screen-3'] }));
  add('devices', 'Changed', device(1));
  return items;
};

/** Folds the items, and ends a batch after each for which `isEnd` holds and after the last. Returns the rows of each table. */
const foldRows = (name: string, isEnd: (index: number) => boolean): ReadonlyMap<string, string> => {
  const fold = projectionNamed(name).createFold();
  const items = listItems();
  const rows = new Map<string, Buffer>();
  let after = 0n;
  for (const [index, item] of items.entries()) {
    fold.apply(item);
    if (!isEnd(index) && index < items.length - 1) continue;
    for (const { table, batch } of fold.seal({ after, upTo: item.sequence }).inserts) {
      rows.set(table.name, Buffer.concat([rows.get(table.name) ?? Buffer.alloc(0), batch.body()]));
    }
    after = item.sequence;
  }
  return new Map([...rows].map(([table, bytes]) => [table, bytes.toString('hex')]));
};

describe('the rows of registry events', () => {
  for (const name of ['coffee', 'watcher-summary'])
    it(`of ${name} do not depend on where batches end`, () => {
      const inOneBatch = foldRows(name, () => false);
      expect([...inOneBatch.keys()]).to.include.members(
        name === 'coffee'
          ? ['screen_places', 'coffee_thresholds', 'feeder_places']
          : ['device_places', 'watcher_thresholds'],
      );
      expect(foldRows(name, () => true)).deep.equal(inOneBatch);
      for (const every of [2, 3, 5, 7])
        for (let offset = 0; offset < every; offset += 1)
          expect(foldRows(name, (index) => index % every === offset)).deep.equal(inOneBatch);
    });
});

describe('the rows of the current registry', () => {
  it('are written again while events are folded again, because the table may have the row of a later event', () => {
    const item = createRegistryItems();
    const network = (name: string) => ({ id: 1, name, timezone: 'Europe/London' });
    const items = [
      item('networks', 'Registered', network('A')),
      item('networks', 'Changed', network('B')),
      item('networks', 'Changed', network('A')),
    ];
    const fold = projectionNamed('registry').createFold();
    const rowsUpTo = (after: number, upTo: number, isFoldedAgain: boolean) => {
      for (const each of items.slice(after, upTo)) fold.apply(each);
      const { inserts } = fold.seal({ after: BigInt(after), upTo: BigInt(upTo), isFoldedAgain });
      return inserts.filter(({ table }) => table.name === registryTables.networks.name).map(({ batch }) => batch.rows);
    };
    expect(rowsUpTo(0, 1, true)).deep.equal([1]);
    expect(rowsUpTo(1, 3, true)).deep.equal([1]);
    expect(rowsUpTo(3, 3, false)).deep.equal([]);
  });

  it('are written if they changed, also if they changed back, so that `changed_at` does not depend on where batches end', () => {
    const item = createRegistryItems();
    const fold = projectionNamed('registry').createFold();
    let after = 0n;
    const countFeedersOf = (...items: readonly LogItem[]) => {
      for (const each of items) fold.apply(each);
      const upTo = items.at(-1)!.sequence;
      const { inserts } = fold.seal({ after, upTo });
      after = upTo;
      return inserts.find(({ table }) => table.name === registryTables.feeders.name)?.batch.rows ?? 0;
    };
    const feeder = (id: number, name: string) => ({ id, name, device: 1 });
    const camera = (name: string, owner: number) => ({ id: 1, name, device: 1, feeder: owner });
    const registered = [
      item('networks', 'Registered', { id: 1, name: 'Network', timezone: 'Europe/London' }),
      item('sites', 'Registered', { id: 1, name: 'Site', network: 1, timezone: 'Europe/London' }),
      item('locations', 'Registered', { id: 1, name: 'Location', site: 1 }),
      item('devices', 'Registered', { id: 1, name: 'Player', location: 1, screen_ids: ['screen-1'] }),
      ...[1, 2, 3].map((id) => item('feeders', 'Registered', feeder(id, `Feeder ${id}`))),
      item('cameras', 'Registered', camera('Camera', 1)),
    ];
    expect(countFeedersOf(...registered)).equal(3);
    expect(countFeedersOf(...['Other', 'Feeder 1'].map((name) => item('feeders', 'Changed', feeder(1, name))))).equal(
      1,
    );
    expect(countFeedersOf(...[2, 1].map((owner) => item('cameras', 'Changed', camera('Camera', owner))))).equal(2);
    expect(countFeedersOf(item('cameras', 'Changed', camera('Lens', 1)))).equal(0);
  });
});
