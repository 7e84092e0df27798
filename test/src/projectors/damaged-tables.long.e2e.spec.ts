import { open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { readGenerations } from '@popsvc/platform/postgres';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { createProjectors } from '@popsvc/projectors/service';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { allProjections } from '@popsvc/projectors/projections';
import { checkNextPart, openGenerations } from '@popsvc/read-models/generations';
import { type KillableClickHouse, killableClickHouse, queryClickHouse } from '../support/engines.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';

/** The short form damages a derived table, facts, and a single bit; the long form also heals a table in every other situation. */
const isLong = process.env['POPSVC_LONG'] === '1';

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly asOf: string | null;
  readonly rows: string;
}

const coffee = '/api/v1/coffee?from=2026-08-20&to=2026-08-21&limit=1000';
const uptime = '/api/v1/device-apps/4/player/uptime?from=2026-08-20T00:00:00Z&to=2026-08-21T00:00:00Z';

const describeDamage = (partitions: number) =>
  describe(`damaged tables in ClickHouse, with ${partitions === 1 ? 'one partition' : `${partitions} partitions`}`, function () {
    let engine: KillableClickHouse;
    let services: TestServices;
    let projectors: { stop(): Promise<void> };
    let key: string;
    let played = 0;

    const startProjectors = async () => {
      const { store, postgres, env } = services;
      // A stop that takes long cancels all statements of its writer for good.
      const writer = openClickHouseWriter({ url: env['CLICKHOUSE_URL']!, ...engine.writer });
      const log = createLog('test', 'silent');
      const parts = {
        store,
        writers: [writer],
        postgres,
        log,
        metrics: createMetrics('test'),
        owner: 'one',
        partitions,
      };
      const running = await createProjectors(parts);
      projectors = {
        stop: async () => {
          await running.stop();
          await writer.close();
        },
      };
    };
    const ask = async (path: string): Promise<Answer> => {
      const response = await fetch(`${services.queryUrl}${path}`, { headers: { 'x-api-key': key } });
      const body = (await response.json()) as { data?: { rows?: unknown }; error?: { code: string } };
      if (response.status === 503) expect(response.headers.get('retry-after')).to.match(/^\d+$/);
      return {
        status: response.status,
        code: body.error?.code,
        asOf: response.headers.get('x-data-as-of'),
        // When a row was projected changes with a replay.
        rows: JSON.stringify(body.data?.rows ?? body.data, (name, value: unknown) =>
          name === 'SILVER_STAGE_TIMESTAMP' ? undefined : value,
        ),
      };
    };
    /** Asks until `isDone`, and collects all different answers. */
    const askUntil = async (
      path: string,
      isDone: (answer: Answer) => boolean | Promise<boolean>,
    ): Promise<readonly Answer[]> => {
      const answers: Answer[] = [];
      const deadline = Date.now() + 60_000;
      for (;;) {
        const answer = await ask(path);
        answers.push(answer);
        if (await isDone(answer)) return answers;
        if (Date.now() > deadline) throw new Error(`last answer: ${JSON.stringify(answer).slice(0, 500)}`);
        await sleep(100);
      }
    };
    /** Reads the generation that readers see; an answer before this call does not come from a later one. */
    const readShownGeneration = async (): Promise<number> => {
      const [shownBy] = await services.writer.rows<{ generation: number }>(
        `SELECT generation FROM progress_live WHERE projection = 'coffee'`,
      );
      return shownBy!.generation;
    };
    /** Prevents that a replay pauses the live generation, and thus a switch, until the returned function is called. */
    const preventSwitch = async () => {
      const holder = await services.postgres.connect();
      await holder.query('SELECT pg_advisory_lock(20260820)');
      await holder.query(`CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_advisory_xact_lock_shared(20260820); RETURN NEW; END'`);
      await holder.query(`CREATE TRIGGER wait_for_test BEFORE UPDATE ON generations FOR EACH ROW
        WHEN (NEW.held_until IS NOT NULL AND OLD.held_until IS NULL) EXECUTE FUNCTION wait_for_test()`);
      return async () => {
        await holder.query('SELECT pg_advisory_unlock(20260820)');
        await holder.query('DROP FUNCTION wait_for_test CASCADE');
        holder.release();
      };
    };
    const codesOf = (answers: readonly Answer[]) => new Set(answers.map(({ status, code }) => code ?? status));
    const rowsOf = (answers: readonly Answer[]) =>
      new Set(answers.filter(({ status }) => status === 200).map(({ rows }) => rows));
    const play = async () => {
      played += 1;
      const playedAt = new Date(Date.parse('2026-08-20T14:00:00Z') + played * 10_000).toISOString();
      await services.play({ eventId: `play-${played}`, playedAt, durationMs: 5_000 });
    };
    const shown = (answer: Answer) => answer.status === 200 && (JSON.parse(answer.rows) as unknown[]).length === played;
    const generationOf = async (projection: string) =>
      (await readGenerations(services.postgres)).find(
        (each) => each.projection === projection && each.state === 'live',
      )!;

    /** Returns the file with the columns of a part of a table of the live generation; default the part with most rows. */
    const fileOf = async (projection: string, table: string, order = 'rows DESC'): Promise<string> => {
      const physical = `${table}_g${(await generationOf(projection)).generation}`;
      const [part] = await services.writer.rows<{ path: string }>(
        `SELECT path FROM system.parts WHERE active AND database = currentDatabase() AND table = '${physical}' ORDER BY ${order}`,
      );
      return join(part!.path, 'data.bin');
    };
    /**
     * Returns the file of a part with new rows. For eight minutes after a merge, ClickHouse keeps the parts that it merged, and uses them
     * if it cannot read the merged part.
     */
    const newFileOf = async (projection: string, table: string): Promise<string> => {
      await services.writer.run(`SYSTEM STOP MERGES ${table}_g${(await generationOf(projection)).generation}`);
      await play();
      await askUntil(coffee, shown);
      return fileOf(projection, table, 'max_block_number DESC');
    };
    /** Damages a file of a part while ClickHouse is down, as a fault of the disk does, and starts ClickHouse again. */
    const cutAndRestart = async (file: string) => {
      engine.kill();
      await truncate(file, 100);
      await engine.restart();
    };
    /** Flips one bit of the first column, which every query reads. */
    const flipBit = async (file: string) => {
      const handle = await open(file, 'r+');
      const [byte, at] = [Buffer.alloc(1), 30];
      await handle.read(byte, 0, 1, at);
      await handle.write(Buffer.of(byte[0]! ^ 0x10), 0, 1, at);
      await handle.close();
    };

    /** Counts the plays as an analyst, or returns the error. */
    const analyze = async (): Promise<string> => {
      const { text } = await queryClickHouse(
        `${engine.analystsUrl}/`,
        engine.analyst,
        `SELECT count() FROM analysts_${services.writer.database}.plays`,
      );
      return /DB::Exception: ([^:]+?\.)/.exec(text)?.[1] ?? text;
    };
    const readJson = async <T>(url: string): Promise<T> =>
      (await (await fetch(url, { headers: { authorization: `Bearer ${operatorToken}` } })).json()) as T;

    const expectDegraded = async () => {
      const overview = await readJson<{ problems: readonly { check: string; subject: string }[] }>(
        `${services.opsUrl}/ops/v1/overview`,
      );
      expect(overview.problems.find(({ check }) => check === 'read-models')).to.include({
        subject: 'coffee',
        outcome: 'failed',
      });
      const ready = await fetch(`${services.queryUrl}/readyz`);
      expect(ready.status).to.equal(200);
      expect(await ready.json()).to.deep.include({ message: 'degraded' });
    };

    before(async () => {
      engine = await killableClickHouse();
      services = await startTestServices({ engine });
      await startProjectors();
      await services.register(smallRegistry);
      key = await services.apiKey();
      for (let index = 0; index < 20; index += 1) await play();
      await services.detection({ startedAt: '2026-08-20T14:30:00.000Z', endedAt: '2026-08-20T14:30:09.000Z' });
      await services.interval({ startedAt: '2026-08-20T14:00:00.000Z', endedAt: '2026-08-20T15:00:00.000Z' });
      await askUntil(coffee, shown);
      // Rows are visible before the checkpoint of their batch.
      await waitUntil(
        () => services.parts.checkpoints.read({ projection: 'coffee', generation: 1, partition: 1 % partitions }),
        ({ position, begun }) => position > 0n && position === begun,
      );
    });
    after(async () => {
      await projectors.stop();
      await services.close();
    });

    it('are refused only in the time range of a lost part, until its rows are derived again (F11)', async () => {
      await services.writer.run('SYSTEM STOP MERGES coffee_g1');
      const damagedDay = '/api/v1/coffee?from=2026-08-22&to=2026-08-23&limit=1000';
      await services.play({ playedAt: '2026-08-22T14:00:00.000Z' });
      await askUntil(damagedDay, ({ rows }) => rows.includes('UNMEASURED'));
      await services.detection({ startedAt: '2026-08-22T14:00:00.000Z', endedAt: '2026-08-22T14:00:09.000Z' });
      const [before] = (await askUntil(damagedDay, ({ rows }) => rows.includes('VIEWER'))).slice(-1);
      await projectors.stop();
      await sleep(300);
      const other = await ask(coffee);
      expect(await analyze()).to.equal(String(played + 1));

      // An older part has the row without the audience, which is visible again without this part.
      await cutAndRestart(await fileOf('coffee', 'coffee', 'max_block_number DESC'));
      expect(await ask(coffee)).to.include({ status: 503, code: 'UNAVAILABLE' });
      expect(await analyze()).to.include('The tables are being verified after a start of ClickHouse.');
      // As if the process was killed when the tables were verified, before it derives rows.
      const { postgres, writer } = services;
      await openGenerations({ postgres, writer, log: createLog('test', 'silent') }, allProjections);
      expect(await askUntil(coffee, ({ status }) => status === 200)).to.have.lengthOf.below(100);
      expect(await ask(coffee)).to.deep.equal(other);
      const whole = '?from=2026-08-20&to=2026-08-23';
      for (const refused of [damagedDay, `/api/v1/coffee${whole}`, `/api/v1/coffee/download${whole}`])
        expect(await ask(refused), refused).to.include({ status: 503, code: 'REBUILDING' });
      for (const path of ['?limit=5', '?limit=5&sort=desc', '/download?limit=5'])
        expect(
          (
            await fetch(`${services.queryUrl}/api/v1/coffee${path}&from=2026-08-20&to=2026-08-22`, {
              headers: { 'x-api-key': key },
            })
          ).status,
          path,
        ).to.equal(200);
      expect(await analyze()).to.include('Rows of coffee are missing and are being rebuilt.');
      await expectDegraded();

      if (isLong) {
        engine.kill();
        await engine.restart();
      }
      await startProjectors();
      await play();
      const answers = await askUntil(damagedDay, ({ status }) => status === 200);
      expect([...rowsOf(answers)]).to.deep.equal([before!.rows]);
      await askUntil(coffee, shown);
      const { generation } = await waitUntil(
        () => generationOf('coffee'),
        ({ healing }) => healing.length === 0,
      );
      expect(generation, 'no replay').to.equal(1);
      expect(await analyze()).to.equal(String(played + 1));
    });

    if (partitions > 1 && !isLong) return;

    if (isLong)
      it('are refused if ClickHouse restarts while the projectors run (F11)', async () => {
        const file = await newFileOf('coffee', 'coffee');
        const [before] = (await askUntil(coffee, shown)).slice(-1);
        const { generation } = await generationOf('coffee');
        await cutAndRestart(file);
        const answers = await askUntil(coffee, ({ status }) => status === 200);
        expect([...rowsOf(answers)]).to.deep.equal([before!.rows]);
        expect((await generationOf('coffee')).generation).to.equal(generation);
      });

    it('leave derived rows readable at the time of the damage, if facts are damaged (F11)', async () => {
      const file = await newFileOf('coffee', 'plays');
      const [before] = (await askUntil(coffee, shown)).slice(-1);
      const { generation } = await generationOf('coffee');
      await projectors.stop();
      // As if the batch of the last plays had been interrupted before its checkpoint: readers have seen its rows.
      await services.postgres.query("UPDATE checkpoints SET position = 1 WHERE projection = 'coffee'");
      await cutAndRestart(file);
      const answers: (Answer & { readonly shownGeneration: number })[] = [];
      const keepAnswer = async (answer: Answer) => {
        answers.push({ ...answer, shownGeneration: await readShownGeneration() });
        return shown(answer);
      };
      const release = await preventSwitch();
      await startProjectors();
      await expectDegraded();
      await play();
      for (const answer of await askUntil(coffee, ({ status }) => status === 200)) await keepAnswer(answer);
      await release();
      await askUntil(coffee, keepAnswer);
      const [stale, current, ...others] = [...rowsOf(answers)];
      expect(stale).to.equal(before!.rows);
      expect(JSON.parse(current!)).to.have.length(played);
      expect(others).to.deep.equal([]);
      const ofDamaged = answers.filter(({ rows, shownGeneration }) => rows === stale && shownGeneration === generation);
      const asOf = new Set(ofDamaged.map((answer) => answer.asOf));
      expect(asOf.size, 'X-Data-As-Of does not move while nothing is derived').to.equal(1);
      expect((await generationOf('coffee')).generation).to.equal(generation + 1);
    });

    it('are found by the check in the background (F12)', async () => {
      await projectors.stop();
      const { generation } = await generationOf('coffee');
      const file = await fileOf('coffee', 'plays');
      await flipBit(file);
      const found = new Map<string, string>();
      await services.postgres.query('UPDATE table_parts SET checked_at = NULL');
      for (let checked = 0; checked < 200 && found.size === 0; checked += 1) {
        const { damage } = await checkNextPart(services.postgres, services.writer, allProjections);
        if (damage) found.set(damage.projection, damage.found.table);
      }
      expect([...found]).to.deep.equal([['coffee', `plays_g${generation}`]]);
      await flipBit(file);
      await startProjectors();
    });

    it('are found by the query that reads a flipped bit, and derived again (F12)', async () => {
      const [before] = (await askUntil(coffee, shown)).slice(-1);
      const { generation } = await generationOf('coffee');
      await flipBit(await fileOf('coffee', 'coffee'));
      const answers = await askUntil(coffee, ({ status }) => status === 200);
      expect([...codesOf(answers)]).to.deep.equal(['REBUILDING', 200]);
      expect([...rowsOf(answers)]).to.deep.equal([before!.rows]);
      expect((await generationOf('coffee')).generation).to.equal(generation);
    });

    it('are rebuilt, if an operator drops one while the projectors run', async () => {
      const { generation } = await generationOf('coffee');
      await services.writer.run(`DROP TABLE coffee_g${generation} SYNC`);
      await play();
      const answers = await askUntil(coffee, shown);
      expect([...codesOf(answers)]).to.include('REBUILDING');
      expect((await generationOf('coffee')).generation).to.equal(generation + 1);
    });

    it('are all rebuilt, if ClickHouse loses its database while the projectors run', async () => {
      const [before] = (await askUntil(coffee, shown)).slice(-1);
      const { generation } = await generationOf('coffee');
      await services.writer.run(`DROP DATABASE ${services.writer.database} SYNC`);
      const answers = await askUntil(coffee, ({ status }) => status === 200);
      expect([...codesOf(answers)]).to.include('REBUILDING');
      expect([...rowsOf(answers)]).to.deep.equal([before!.rows]);
      // Readers are switched before the record of the generation.
      await waitUntil(
        () => generationOf('coffee'),
        (live) => live.generation === generation + 1,
      );
      await play();
      await askUntil(coffee, shown);
    });

    if (isLong)
      it('make derived rows unreadable until a replay ends, if the pending ranges are damaged', async () => {
        const [before] = (await askUntil(coffee, shown)).slice(-1);
        await projectors.stop();
        const { generation } = await generationOf('coffee');
        await services.writer.run(`INSERT INTO coffee_pending_g${generation}
        (network_id, screen_id, from_at, to_at, cause, slices, version) VALUES (1, 'screen-1', now(), now(), 'facts', 1, 2)`);
        // A run ends by storing the list of parts.
        await startProjectors();
        await projectors.stop();
        await cutAndRestart(await fileOf('coffee', 'coffee_pending'));
        await startProjectors();
        const answers = await askUntil(coffee, ({ status }) => status === 200);
        expect([...codesOf(answers)]).to.include('REBUILDING');
        expect([...rowsOf(answers)]).to.deep.equal([before!.rows]);
        expect((await generationOf('coffee')).generation).to.equal(generation + 1);
      });

    if (isLong)
      it('make the reports that read them directly unavailable until they are rebuilt', async () => {
        const [before] = (await askUntil(uptime, ({ status }) => status === 200)).slice(-1);
        await projectors.stop();
        await cutAndRestart(await fileOf('uptime', 'intervals'));
        await startProjectors();
        const answers = await askUntil(uptime, ({ status }) => status === 200);
        expect([...codesOf(answers)]).to.include('REBUILDING');
        expect([...rowsOf(answers)]).to.deep.equal([before!.rows]);
      });
  });

describeDamage(1);
// The damage of a table is found and repaired independently of the partitions, so the short form has one.
if (process.env['POPSVC_LONG'] === '1') describeDamage(4);
