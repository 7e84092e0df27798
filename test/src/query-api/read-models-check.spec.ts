import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import { degraded } from '@popsvc/platform/runtime';
import { createReadModelsCheck } from '@popsvc/query-api/service';
import { expect } from 'chai';

/** Runs the check on a list of tables that readers must not use. */
const checkWith = (...damaged: readonly string[]) => {
  const state = { names: damaged, reasons: damaged.map(() => 'damage'), ranges: [], run: '2026-08-20 12:00:00' };
  const reader = { rows: () => Promise.resolve([state]) };
  return createReadModelsCheck(reader as unknown as ClickHouseReader)();
};

describe('the readiness check of read models', () => {
  it('is degraded while tables of live generations are damaged', async () => {
    expect(await checkWith('plays', 'coffee_g2')).to.deep.equal(degraded('damaged and being rebuilt: plays'));
  });

  it('ignores tables of former generations, which stay listed after a replay', async () => {
    expect(await checkWith('plays_g2', 'coffee_g2')).to.equal(undefined);
  });
});
