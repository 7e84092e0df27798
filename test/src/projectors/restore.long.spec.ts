import { expect } from 'chai';
import { pruneProgress } from '@popsvc/read-models/generations';
import { projecting, type Projecting } from '../support/projecting.ts';
import { smallRegistry } from '../support/small-registry.ts';
import {
  begin,
  copyOfLog,
  copyOfReadModels,
  copyOfRecords,
  loseReadModels,
  projected,
  rebuilt,
  shownProjections,
  standing,
} from './restore.fixture.ts';

/** One store was lost and is restored from a copy that is older than the others (docs/guides/operators.md). */
describe('a store that was restored', function () {
  this.timeout(90_000);
  let house: Projecting;
  let sent = 0;
  /** What a rebuild makes of so much: the same as long as nothing more is told. */
  let made: { readonly of: number; readonly rows: unknown } | undefined;

  /** A quarter of an hour of a screen with people before it, some of it told twice or with another content. */
  const traffic = async () => {
    for (let count = 0; count < 6; count += 1) {
      sent += 1;
      const at = (seconds: number) =>
        new Date(Date.parse('2026-08-20T14:00:00Z') + (sent * 60 + seconds) * 1_000).toISOString();
      const eventId = `play-${sent - (count % 4 === 3 ? 1 : 0)}`;
      await house.play({ eventId, playedAt: at(0), durationMs: 10_000 });
      await house.heartbeat({ deviceId: 4, at: at(0) });
      if (count % 2 === 0)
        await house.detection({ startedAt: at(1), endedAt: at(9), watches: [{ startedAt: at(2), endedAt: at(5) }] });
      if (count === 0) await house.interval({ startedAt: at(0), endedAt: at(50) });
    }
    await projected(house);
  };
  const isWhole = async () => {
    if (made?.of !== sent) made = { of: sent, rows: await rebuilt(house) };
    const stands = await standing(house);
    expect(JSON.stringify(stands).length).to.be.greaterThan(3_000);
    expect(stands).to.deep.equal(made.rows);
  };

  before(async () => {
    house = await projecting({ of: shownProjections });
    await begin(house);
    await house.register(smallRegistry);
    await traffic();
  });
  after(() => house.close());

  it('PostgreSQL: what was projected since is projected again, over the same rows', async () => {
    const copy = await copyOfRecords(house);
    await traffic();
    await copy.restore();
    await begin(house);
    await traffic();
    await isWhole();
  });

  it('PostgreSQL, from before all that is remembered of where batches ended', async () => {
    const move = (location: number) =>
      house.register({
        networks: smallRegistry.networks,
        sites: [{ id: 20, name: 'Tokyo', network: 1, timezone: 'Asia/Tokyo' }],
        locations: [{ id: 30, name: 'Platform', site: 20 }],
        devices: [{ ...smallRegistry.devices[0], location, effective_from: '2026-08-01T00:00:00Z' }],
      });
    const copy = await copyOfRecords(house);
    await move(30);
    await traffic();
    await move(3);
    await traffic();
    await move(30);
    await traffic();
    await pruneProgress(house.writer, { keepMs: 0, minRows: 0 });
    await copy.restore();
    await begin(house);
    // Read in one go with what the newest batch ended on, these two would be none.
    await move(3);
    await traffic();
    await isWhole();
  });

  it('ClickHouse: the projections go back to where the copy stands', async () => {
    const copy = await copyOfReadModels(house);
    await traffic();
    await copy.restore();
    await begin(house);
    await traffic();
    await isWhole();
  });

  it('ClickHouse, of which nothing is left: all is made anew from the log', async () => {
    await loseReadModels(house);
    await traffic();
    await isWhole();
  });

  it('ClickHouse, of which one table is gone: that projection begins at the start', async () => {
    await house.writer.run('DROP TABLE coffee_g1');
    await begin(house);
    await projected(house);
    await isWhole();
  });

  it('both, each from a time of its own', async () => {
    const readModels = await copyOfReadModels(house);
    await traffic();
    const records = await copyOfRecords(house);
    await traffic();
    await Promise.all([readModels.restore(), records.restore()]);
    await begin(house);
    await projected(house);
    await isWhole();
  });

  it('the log: refused, for what was projected is not in it; with older copies of the others it goes on', async () => {
    const records = await copyOfRecords(house);
    const log = await copyOfLog(house);
    await traffic();
    await log.restore();
    const refused = await house.projectOne('coffee').then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(refused).to.match(/it was restored from an older copy; rebuild it/);

    await records.restore();
    await loseReadModels(house);
    await traffic();
    await isWhole();
  });
});
