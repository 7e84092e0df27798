import {
  beginBuild,
  registerProjection,
  resetUnsyncedParts,
  completePart,
  migrate,
  readOpenParts,
  openPostgres,
  type Postgres,
} from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { sharedPostgres } from '../support/engines.ts';

const log = createLog('test', 'silent');
const key = { projection: 'coffee', generation: 1 };
/** When ClickHouse began each of its lives, by its own clock, which need not be ours. */
const [first, second, third] = [1_000, 90_000, 180_000];
const whole = { network: 0, slices: 1 };

describe('what a build wrote before ClickHouse was restarted', () => {
  let postgres: Postgres;
  beforeEach(async () => {
    postgres = openPostgres({ url: await (await sharedPostgres()).freshDatabase(), log, name: 'test' });
    await migrate(postgres);
    await registerProjection(postgres, 'coffee', 1);
    const facts = [1n, 2n, 3n].map((ends) => ({ ...whole, starts: ends - 1n, ends }));
    await beginBuild(postgres, key, { upTo: 3n, logId: 'log' }, facts);
    await resetUnsyncedParts(postgres, key, first);
    const windows = [1n, 2n].map((ends) => ({ ...whole, network: 1, starts: ends - 1n, ends }));
    for (;;) {
      const [part] = await readOpenParts(postgres, key);
      if (!part) break;
      await completePart(postgres, key, part, part.step === 'rest' ? windows : []);
    }
  });
  afterEach(() => postgres.end());

  const written = (step: string, part: number, minutesAgo: number) =>
    postgres.query(
      `UPDATE build_parts SET reached = ends, written_at = now() - $3 * interval '1 minute' WHERE step = $1 AND part = $2`,
      [step, part, minutesAgo],
    );
  /** Facts an hour ago, the rest half an hour ago, windows after it. */
  const inAnHour = async () => {
    for (const part of [1, 2, 3]) await written('facts', part, 60);
    await written('rest', 1, 30);
    await written('windows', 1, 25);
    await written('windows', 2, 11);
  };
  const open = async () => (await readOpenParts(postgres, key)).map(({ step, part, reached }) => [step, part, reached]);

  it('is done again as far as it is of the last minute, however long the machine was off', async () => {
    await inAnHour();
    expect(await resetUnsyncedParts(postgres, key, second)).to.equal(true);
    expect(await open()).to.deep.equal([['windows', 2, 1n]]);
  });

  it('is done again once for each of its lives', async () => {
    await inAnHour();
    await resetUnsyncedParts(postgres, key, second);
    const [part] = await readOpenParts(postgres, key);
    await completePart(postgres, key, part!);
    // A clock that counts whole seconds may be one off.
    for (const began of [second, second + 1, second - 1])
      expect(await resetUnsyncedParts(postgres, key, began)).to.equal(false);
    expect(await open()).to.deep.equal([]);
    expect(await resetUnsyncedParts(postgres, key, third)).to.equal(true);
  });

  it('has what rests on it done again: all windows, where facts may be gone', async () => {
    await inAnHour();
    await written('facts', 3, 11.5);
    await resetUnsyncedParts(postgres, key, second);
    expect(await open()).to.deep.equal([['facts', 3, 2n]]);
    const { rows } = await postgres.query(
      `SELECT step, count(*)::int AS count, bool_and(is_done) AS done FROM build_parts WHERE step <> 'facts' GROUP BY step`,
    );
    expect(rows).to.deep.equal([{ step: 'rest', count: 1, done: false }]);
  });

  it('is believed once a minute of batches followed it', async () => {
    await inAnHour();
    const saved = (minutesAgo: number) =>
      postgres.query(
        `INSERT INTO checkpoints (projection, generation, position, log_id, saved_at)
         VALUES ('coffee', 1, 3, 'log', now() - $1 * interval '1 minute')
         ON CONFLICT (projection, generation) DO UPDATE SET saved_at = excluded.saved_at`,
        [minutesAgo],
      );
    await saved(10.5);
    expect(await resetUnsyncedParts(postgres, key, second)).to.equal(true);
    const [part] = await readOpenParts(postgres, key);
    await completePart(postgres, key, part!);
    await written('windows', 2, 11);
    await saved(0);
    expect(await resetUnsyncedParts(postgres, key, third)).to.equal(false);
  });
});
