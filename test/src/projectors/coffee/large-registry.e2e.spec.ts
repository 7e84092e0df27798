import type { RegistryKind } from '@popsvc/contracts/registry';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import { createRegistryItems } from '../registry-items.fixture.ts';

const count = process.env['POPSVC_LONG'] === '1' ? 30_000 : 6_000;
const perSite = 20;

const cpuMs = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

/** A coffee fold with a network of so many devices, each with a feeder; it writes nothing. */
const knowing = () => {
  const item = createRegistryItems();
  const fold = allProjections.find(({ name }) => name === 'coffee')!.createFold();
  fold.restore(item('networks', 'Registered', { id: 1, name: 'Large', timezone: 'Europe/London' }));
  const device = (id: number) => ({
    id,
    name: `Player ${id}`,
    location: Math.ceil(id / perSite),
    screen_ids: [`screen-${id}`],
  });
  for (let id = 1; id <= count; id += 1) {
    if (id % perSite === 1) {
      const site = Math.ceil(id / perSite);
      fold.restore(item('sites', 'Registered', { id: site, name: `S${site}`, network: 1, timezone: 'Europe/London' }));
      fold.restore(item('locations', 'Registered', { id: site, name: `L${site}`, site }));
    }
    fold.restore(item('devices', 'Registered', device(id)));
    fold.restore(item('feeders', 'Registered', { id, name: `F${id}`, device: id }));
  }
  return { fold, item, device };
};

describe(`coffee of a network of ${count} devices`, () => {
  it('compares only the placements that a registry change affects', () => {
    const { fold, item, device } = knowing();
    const rowsOf = (kind: RegistryKind, data: object) => {
      let rows: number[] = [];
      const spent = cpuMs(() => {
        const changed = item(kind, 'Changed', data);
        fold.apply(changed);
        const { sequence: upTo } = changed;
        rows = fold.seal({ after: upTo - 1n, upTo }).inserts.map(({ batch }) => batch.rows);
      });
      return { rows, spent };
    };
    const site = { id: 7, name: 'S7', network: 1, timezone: 'Europe/London' };
    const changes = [
      rowsOf('devices', { ...device(5), timezone: 'Asia/Tokyo' }),
      rowsOf('sites', { ...site, timezone: 'Asia/Tokyo' }),
      rowsOf('feeders', { id: 9, name: 'F9', device: 10 }),
      rowsOf('networks', { id: 1, name: 'Renamed', timezone: 'Europe/London' }),
    ];
    // A segment for the screen, for each screen of the site, and for the feeder; none for a name.
    expect(changes.map(({ rows }) => rows)).to.deep.equal([[1], [perSite], [1], []]);
    for (const { spent } of changes) expect(spent).to.be.lessThan(count / 60);
  });
});
