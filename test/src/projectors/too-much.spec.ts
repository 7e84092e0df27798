import { ClickHouseError } from '@clickhouse/client';
import { expect } from 'chai';
import { at, coffeeSystem } from './coffee.fixture.ts';

const asked = (params: Readonly<Record<string, unknown>> | undefined) => Number(params?.['slices'] ?? 0);

describe('coffee that is too much for ClickHouse to compute at once', () => {
  const scene = coffeeSystem();

  /** A server that refuses to compute more than such a part, in the middle of it. */
  const weak = (slices: number, code: string, refused: number[]) => {
    const { writer } = scene.system;
    return {
      ...writer,
      run: (query: string, options: Parameters<typeof writer.run>[1] = {}) => {
        if (!query.includes('INSERT INTO coffee_') || asked(options.params) >= slices)
          return writer.run(query, options);
        refused.push(asked(options.params));
        return Promise.reject(new ClickHouseError({ message: 'too much', code, type: 'X' }));
      },
    };
  };

  const told = async () => {
    await scene.spots();
    await scene.person();
    await scene.system.play({ eventId: 'A', playedAt: at(60) });
    await scene.system.play({ eventId: 'E', playedAt: at(70) });
  };
  const balance = () =>
    scene.system.writer.rows('SELECT received, stored, duplicate, conflict FROM vendor_balance_live');

  for (const code of ['159', '241'])
    it(`is computed in parts, with the same rows and receipts (code ${code})`, async () => {
      await told();
      const refused: number[] = [];
      await scene.system.projectOne('coffee', { writer: weak(16, code, refused) });
      expect(new Set(refused)).to.deep.equal(new Set([1]));
      const [rows, receipts] = [await scene.figures(), await balance()];
      expect(rows.map(([id]) => id).sort()).to.deep.equal(['A', 'B', 'C', 'D', 'E']);
      expect(rows.find(([id]) => id === 'B')).to.deep.equal(['B', 10, 9, 90, [1, 1, 1, 1, 1]]);
      expect(receipts.map((row) => Object.values(row as object).map(Number))).to.deep.equal([[6, 5, 0, 1]]);
    }).timeout(60_000);

  it('fails when even a small part of it is too much, or for another reason', async () => {
    await told();
    const failed = async (code: string) => {
      const refused: number[] = [];
      const outcome = scene.system.projectOne('coffee', { writer: weak(1_000, code, refused) });
      expect(await outcome.catch((error: unknown) => error)).to.be.instanceOf(ClickHouseError);
      return [...new Set(refused)];
    };
    expect(await failed('241')).to.deep.equal([1, 16, 256]);
    expect(await failed('60')).to.deep.equal([1]);
  }).timeout(60_000);
});
