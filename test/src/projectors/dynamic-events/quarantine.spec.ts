import { expect } from 'chai';
import sinon from 'sinon';
import { smallRegistry } from '../../support/small-registry.ts';
import { dynamicSystem, flat } from './dynamic.fixture.ts';

const local = '2026-08-20T15:00:00';
/** 14:00 UTC in the site's time zone, where it is 15:00. */
const shown = '2026-08-20T15:00:00.000+01:00';

describe("events of a vendor's own schema", () => {
  const dynamic = dynamicSystem();
  afterEach(() => sinon.restore());
  const project = () => dynamic.system.projectOne('coffee');

  it('become plays at once while a mapping is in force', async () => {
    await dynamic.events.map();
    await dynamic.events.send([flat(), flat({ id: 'B', start: '2026-08-20T15:00:30' })]);
    await project();
    expect(await dynamic.events.plays()).to.deep.equal([
      ['A', shown, 10],
      ['B', '2026-08-20T15:00:30.000+01:00', 10],
    ]);
    expect(await dynamic.events.quarantined()).to.deep.equal([]);
  });

  it('wait for a mapping and become plays without a second delivery', async () => {
    await dynamic.events.send([flat(), flat({ id: 'B', seconds: 'long' })]);
    await project();
    expect(await dynamic.events.plays()).to.deep.equal([]);
    expect(await dynamic.events.quarantined()).to.deep.equal([
      ['', 'waiting', 'no_mapping', 0],
      ['', 'waiting', 'no_mapping', 0],
    ]);
    await dynamic.events.map();
    await project();
    expect(await dynamic.events.plays()).to.deep.equal([['A', shown, 10]]);
    expect(await dynamic.events.quarantined()).to.deep.equal([
      ['A', 'released', 'no_mapping', 1],
      ['B', 'waiting', 'unparsable', 0],
    ]);
  });

  it('are retried with many mappings in one batch, and leave the process time to renew its lease', async () => {
    const events = Array.from({ length: 1_000 }, (_, index) => flat({ id: `E${index}` }));
    await dynamic.events.send(events);
    for (let version = 0; version < 20; version += 1)
      await dynamic.events.map({ duration: { path: `missing${version}`, unit: 's' } });
    const { writer } = dynamic.system;
    let [turns, turnsBefore, turnsOfRetries, isOver] = [0, 0, 0, false];
    const countTurns = () => {
      turns += 1;
      if (!isOver) setImmediate(countTurns);
    };
    setImmediate(countTurns);
    const counting: typeof writer = {
      ...writer,
      async rows(query, options) {
        const rows = await writer.rows<never>(query, options);
        if (query.includes('raw, max_age_days')) turnsBefore = turns;
        return rows;
      },
      insert(insert) {
        if (insert.table === 'quarantine_g1' && turnsBefore > 0) turnsOfRetries ||= turns - turnsBefore;
        return writer.insert(insert);
      },
    };
    // With this clock the retry of each event seems to take longer than the process may block.
    let nowMs = performance.now();
    const clock = sinon.stub(performance, 'now').callsFake(() => (nowMs += 51));
    await dynamic.system.projectOne('coffee', { writer: counting, leaseMs: 1e9 });
    isOver = true;
    clock.restore();
    expect(turnsOfRetries, 'turns of the event loop, in which timers run').to.be.at.least(1_000 - 1);
    expect(await dynamic.events.plays()).to.have.lengthOf(0);
    await dynamic.events.map();
    await project();
    expect(await dynamic.events.plays()).to.have.lengthOf(1_000);
  });

  it('become plays in the same batch as the mapping they wait for', async () => {
    await dynamic.events.send([flat()]);
    await dynamic.events.map();
    await dynamic.events.send([flat({ id: 'B', start: '2026-08-20T14:00:10Z' })]);
    await project();
    expect((await dynamic.events.plays()).map(([id]) => id)).to.deep.equal(['A', 'B']);
  });

  it('are not changed by later mapping versions once they are plays', async () => {
    await dynamic.events.map();
    await dynamic.events.send([flat()]);
    await project();
    await dynamic.events.map({ duration: { const: 5, unit: 's' } });
    await dynamic.events.send([flat({ id: 'B', start: '2026-08-20T14:00:10Z' })]);
    await project();
    expect((await dynamic.events.plays()).map(([id, , seconds]) => [id, seconds])).to.deep.equal([
      ['A', 10],
      ['B', 5],
    ]);
  });

  it('are mapped by the first later version that fits', async () => {
    await dynamic.events.map({ duration: { path: 'length' } });
    await dynamic.events.send([flat()]);
    await dynamic.events.map({ duration: { path: 'size' } });
    await dynamic.events.map({ duration: { path: 'seconds', unit: 's' } });
    await dynamic.events.map({ duration: { const: 3, unit: 's' } });
    await project();
    expect((await dynamic.events.plays()).map(([id, , seconds]) => [id, seconds])).to.deep.equal([['A', 10]]);
    expect(await dynamic.events.quarantined()).to.deep.equal([['A', 'released', 'missing', 3]]);
  });

  it('are released only by a mapping of their own vendor and schema version', async () => {
    await dynamic.events.send([flat()]);
    await project();
    await dynamic.events.map({}, 'flat-2');
    await dynamic.events.map({}, 'flat-1', 'other');
    await project();
    expect(await dynamic.events.plays()).to.deep.equal([]);
  });

  it('wait for the registration of the screen whose time zone their local times need', async () => {
    await dynamic.events.map();
    await dynamic.events.send([
      flat({ screen: 'screen-9', start: local }),
      flat({ id: 'B', screen: 'screen-8', start: local }),
    ]);
    await project();
    expect(await dynamic.events.quarantined()).to.deep.equal([
      ['A', 'waiting', 'no_zone', 0],
      ['B', 'waiting', 'no_zone', 0],
    ]);
    await dynamic.system.register({
      devices: [{ id: 40, name: 'Exit', location: 3, timezone: 'Asia/Tokyo', screen_ids: ['screen-9'] }],
    });
    await project();
    expect(await dynamic.events.plays()).to.deep.equal([['A', '2026-08-20T07:00:00.000+01:00', 10]]);
    expect(await dynamic.events.quarantined()).to.deep.equal([
      ['A', 'released', 'no_zone', 1],
      ['B', 'waiting', 'no_zone', 0],
    ]);
  });

  it('are released when they wait for more screens than one query can name', async () => {
    const screens = Array.from({ length: 1_100 }, (_, index) => `screen ${index}`);
    await dynamic.events.map();
    await dynamic.events.send(screens.map((screen) => flat({ id: screen, screen, start: local })));
    await dynamic.system.projectOne('coffee');
    const walls = Array.from({ length: 18 }, (_, index) => index);
    await dynamic.system.register({
      devices: walls.map((wall) => ({
        id: 50 + wall,
        name: `Wall ${wall}`,
        location: 3,
        screen_ids: screens.slice(wall * 64, (wall + 1) * 64).slice(0, wall < 17 ? 64 : -1),
      })),
    });
    await dynamic.system.projectOne('coffee');
    const waiting = (await dynamic.events.quarantined()).filter(([, state]) => state === 'waiting');
    expect(waiting.map(([id]) => id)).to.deep.equal(['screen 1099']);
    expect(await dynamic.events.plays()).to.have.length(1_099);
  });

  it('keep the time zone they were mapped with after later registry changes', async () => {
    await dynamic.events.map();
    await dynamic.events.send([flat({ start: local })]);
    await project();
    await dynamic.system.register({
      devices: [{ ...smallRegistry.devices[0], timezone: 'Asia/Tokyo', effective_from: '2026-01-01T00:00:00Z' }],
    });
    await dynamic.events.send([flat({ id: 'B', start: '2026-08-20T22:00:10' })]);
    await project();
    expect((await dynamic.events.plays()).map(([id, start]) => [id, start])).to.deep.equal([
      ['B', '2026-08-20T14:00:10.000+01:00'],
      ['A', shown],
    ]);
  });

  it('wait with a local time in the skipped hour, and take the earlier instant in the repeated hour', async () => {
    await dynamic.events.map();
    await dynamic.events.send([
      flat({ start: '2026-03-29T01:30:00' }),
      flat({ id: 'B', start: '2025-10-26T01:30:00' }),
      flat({ id: 'C', start: '2026-03-29T02:30:00' }),
    ]);
    await project();
    expect((await dynamic.events.plays()).map(([id, start]) => [id, start])).to.deep.equal([
      ['B', '2025-10-26T01:30:00.000+01:00'],
      ['C', '2026-03-29T02:30:00.000+01:00'],
    ]);
    expect(await dynamic.events.quarantined()).to.deep.equal([['A', 'waiting', 'skipped_hour', 0]]);
  });

  it('are too old by the age limit and the time of their receipt', async () => {
    await dynamic.events.map();
    await dynamic.events.send([flat({ start: '2026-08-18T14:00:00Z' })], { maxAgeDays: 2 });
    await dynamic.events.send([flat({ id: 'B', start: '2026-08-18T14:00:00Z' })], { maxAgeDays: 3 });
    await project();
    expect((await dynamic.events.plays()).map(([id]) => id)).to.deep.equal(['B']);
    expect(await dynamic.events.quarantined()).to.deep.equal([['A', 'waiting', 'too_old', 0]]);
  });

  it('keep the row number of their bulk file', async () => {
    await dynamic.system.append('bulk-1.job-1', 'DynamicPlaysRecorded', {
      schemaVersion: 'flat-1',
      items: [flat()],
      bulk: { jobId: 'job-1', rows: [17] },
    });
    await project();
    const rows = await dynamic.system.writer.rows('SELECT job_id, job_row, raw FROM quarantine_live');
    expect(rows).to.deep.equal([{ job_id: 'job-1', job_row: 17, raw: JSON.stringify(flat()) }]);
    await dynamic.events.map();
    await project();
    expect((await dynamic.events.plays()).map(([id]) => id)).to.deep.equal(['A']);
  });
});
