import { ClickHouseError } from '@clickhouse/client';
import { expect } from 'chai';
import { at, coffeeSystem } from './coffee.fixture.ts';

const slicesOf = (params: Readonly<Record<string, unknown>> | undefined) => Number(params?.['slices'] ?? 0);

describe('coffee that exceeds the limits of ClickHouse', () => {
  const scene = coffeeSystem();

  /** A server that refuses to compute in fewer slices, once with each of the codes. */
  const limited = (slices: number, codes: readonly string[], refused: number[]) => {
    const { writer } = scene.system;
    return {
      ...writer,
      run: (query: string, options: Parameters<typeof writer.run>[1] = {}) => {
        const code = codes[refused.length];
        if (code === undefined || !query.includes('INSERT INTO coffee_') || slicesOf(options.params) >= slices)
          return writer.run(query, options);
        refused.push(slicesOf(options.params));
        return Promise.reject(new ClickHouseError({ message: 'too much', code, type: 'X' }));
      },
    };
  };

  const appendEvents = async () => {
    await scene.spots();
    await scene.person();
    await scene.system.play({ eventId: 'A', playedAt: at(60) });
    await scene.system.play({ eventId: 'E', playedAt: at(70) });
  };
  const balance = () =>
    scene.system.writer.rows('SELECT received, stored, duplicate, conflict FROM vendor_balance_live');

  it('is computed in slices, with the same rows and receipts, after each of the two codes', async () => {
    await appendEvents();
    const refused: number[] = [];
    // The rows of the facts are refused first, then those of a registry change.
    await scene.system.projectOne('coffee', { writer: limited(16, ['159', '241'], refused) });
    expect(refused).to.deep.equal([1, 1]);
    const [rows, receipts] = [await scene.readMeasures(), await balance()];
    expect(rows.map(([id]) => id).sort()).to.deep.equal(['A', 'B', 'C', 'D', 'E']);
    expect(rows.find(([id]) => id === 'B')).to.deep.equal(['B', 10, 9, 90, [1, 1, 1, 1, 1]]);
    expect(receipts.map((row) => Object.values(row as object).map(Number))).to.deep.equal([[6, 5, 0, 1]]);
  });

  it('fails when the smallest slice exceeds them, or for another reason', async () => {
    await appendEvents();
    const failed = async (code: string) => {
      const refused: number[] = [];
      const outcome = scene.system.projectOne('coffee', { writer: limited(1_000, [code, code, code], refused) });
      expect(await outcome.catch((error: unknown) => error)).to.be.instanceOf(ClickHouseError);
      return [...new Set(refused)];
    };
    expect(await failed('241')).to.deep.equal([1, 16, 256]);
    expect(await failed('60')).to.deep.equal([1]);
  });
});
