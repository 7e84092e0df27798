import { expect } from 'chai';
import { fillMarked } from './isolation.fixture.ts';
import { idOf } from '../tenants/marks.ts';
import { type AnalystsSystem, startAnalystsSystem } from './analysts.fixture.ts';

/** Plays of the second network beyond those of `fillMarked`: an EXPLAIN contains their number by no chance. */
const morePlays = 977;

describe('EXPLAIN of an analyst', () => {
  let world: AnalystsSystem;
  before(async () => {
    world = await startAnalystsSystem([
      { name: 'anna', networks: [1] },
      { name: 'bert', networks: [2] },
    ]);
    await fillMarked(world.system, [1, 2]);
    const from = { network: idOf(2), vendor: 'zq2x', receivedAt: '2026-08-20T15:00:00.000Z' };
    for (let index = 0; index < morePlays; index++) await world.system.play({ eventId: `more-${index}` }, from);
    await world.system.project();
  });
  after(() => world.system.close());

  const explain = (sql: string) => world.query(world.analysts[0]!, sql);

  for (const sql of [
    'EXPLAIN ESTIMATE SELECT * FROM plays',
    'explain /* rows */ estimate SELECT * FROM plays',
    'EXPLAIN "ESTIMATE" SELECT * FROM plays',
    'SELECT * FROM (EXPLAIN ESTIMATE SELECT * FROM plays)',
    "SELECT * FROM viewExplain('EXPLAIN ESTIMATE', '', (SELECT * FROM plays))",
    "SELECT * FROM viewExplain(concat('EXPLAIN ', 'ESTIMATE'), '', (SELECT * FROM plays))",
  ])
    it(`is refused where it counts rows: ${sql}`, async () => {
      const { ok, text } = await explain(sql);
      expect(ok, text).to.equal(false);
      expect(text).to.include('EXPLAIN ESTIMATE');
    });

  for (const kind of [
    '',
    'PLAN indexes = 1, actions = 1, projections = 1, json = 1',
    'PLAN indexes = 1, header = 1, description = 1, sorting = 1',
    'AST',
    'SYNTAX',
    'QUERY TREE',
    'PIPELINE header = 1',
  ])
    it(`shows no number of rows: EXPLAIN ${kind}`, async () => {
      const [plays] = await world.system.writer.rows<{ total: string; ofOther: string }>(
        `SELECT toString(count()) AS total, toString(countIf(network_id = ${idOf(2)})) AS ofOther FROM plays_g1`,
      );
      expect(Number(plays!.ofOther)).to.be.greaterThan(morePlays);
      const { ok, text } = await explain(`EXPLAIN ${kind} SELECT * FROM plays`);
      expect(ok, text).to.equal(true);
      expect(text).to.not.match(new RegExp(`\\b(?:${plays!.total}|${plays!.ofOther})\\b`));
    });
});
