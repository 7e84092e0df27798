import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { intakeStream } from '@popsvc/contracts/events';
import { repairLog } from '@popsvc/embedded/event-store';
import { runDiagnostics } from '@popsvc/ops-api/server';
import { planReplay, readGenerations, readReplays, recordDamage, registerProjection } from '@popsvc/platform/postgres';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { readLogRepairs, recordLogRepairs } from '@popsvc/projectors/log-repairs';
import { allProjections } from '@popsvc/projectors/projections';
import { createProjectors } from '@popsvc/projectors/service';
import { temporaryFolder, waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { secretSealer } from '../support/test-sealer.ts';
import { flipBit, segmentFile } from '../event-store/log.fixture.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestServices, type TestServices } from '../support/test-services.ts';

const repairedAt = '2026-11-23T15:00:00.000Z';

/** Events in the middle of the log are lost in a repair, while the read models contain their rows. */
describe('projections after a repair of the log', function () {
  let services: TestServices;
  let dataDir: string;
  let projectors: Awaited<ReturnType<typeof createProjectors>>;
  let rowsBefore: unknown;

  /** Appends the events that the repair removes. */
  const sendLost = {
    play: () =>
      services.play({
        eventId: 'lost-play',
        playedAt: '2026-08-20T14:00:00.000Z',
        siteId: 'quay',
        startReason: 'scheduled',
        context: { weather: 'rain' },
      }),
    detection: () =>
      services.detection({
        detectionId: 'lost-detection',
        feederId: 5,
        gender: 'female',
        age: '34',
        distance: [1.5],
        watches: [{ startedAt: '2026-08-20T14:00:02.000Z', endedAt: '2026-08-20T14:00:05.250Z' }],
      }),
    heartbeat: () => services.heartbeat({ feederId: 5, at: '2026-08-20T14:01:30.000Z' }),
    interval: () => services.interval({ endedAt: '2026-08-20T14:30:00.000Z', revision: 2 }),
    unmapped: () =>
      services.append(intakeStream('dynamicPop', 1, 'acme', Date.now()), 'DynamicPlaysRecorded', {
        schemaVersion: 'unmapped-1',
        items: [{ frame: 12 }],
      }),
  };

  const lostEventsOf = async (projection: string) =>
    (await readGenerations(services.postgres)).find((each) => each.projection === projection && each.state === 'live')!
      .lostEvents;
  const readRows = async () => {
    const generations = await readGenerations(services.postgres);
    const read = (projection: string, table: string, columns: string) => {
      const live = generations.find((each) => each.projection === projection && each.state === 'live')!.generation;
      return services.writer.rows(`SELECT ${columns} FROM ${table}_g${live} FINAL ORDER BY ALL`);
    };
    const audience = 'detection_id, feeder_id, presence_ms, watch_starts, gender, age, age_category, distance';
    return {
      coffee: await read('coffee', 'coffee', `event_id, screen_id, ts, duration_ms, play_reason, ${audience}`),
      plays: await read('coffee', 'plays', 'event_id, site_ref, campaign_ref, creative_ref, payload'),
      quarantine: await read('coffee', 'quarantine', 'schema_version, state, raw'),
      heartbeats: await read('uptime', 'heartbeats', 'vendor, device_id, feeder_id, app, state, at'),
      intervals: await read('uptime', 'intervals', 'vendor, device_id, app, state, started_at, ended_at, revision'),
    };
  };
  /** The subjects and texts of the findings about removed events. */
  const lostFindings = async () => {
    const { store, writer, reader, postgres } = services;
    const shards = [{ writer, reader, declarations: allProjections }];
    const parts = { store, shards, postgres, secretSealer, folders: [], services: [] };
    return (await runDiagnostics({ ...parts, requireSyncStandby: false, listRunningProjections: () => [] }))
      .filter(({ check, found }) => check === 'projection' && found.includes('removed from the log'))
      .map(({ subject, found }) => [subject, found]);
  };

  before(async () => {
    services = await startTestServices();
    await services.register(smallRegistry);
    const lost = [await sendLost.play()];
    await services.play({ eventId: 'kept-play', playedAt: '2026-08-20T14:01:00.000Z' });
    lost.push(await sendLost.detection());
    await services.heartbeat({ deviceId: 4, at: '2026-08-20T14:00:00.000Z' });
    lost.push(await sendLost.heartbeat());
    await services.heartbeat({ deviceId: 4, at: '2026-08-20T14:02:00.000Z' });
    lost.push(await sendLost.interval());
    await services.heartbeat({ deviceId: 4, at: '2026-08-20T14:03:00.000Z' });
    lost.push(await sendLost.unmapped());
    await services.play({ eventId: 'last-play', playedAt: '2026-08-20T14:04:00.000Z' });
    await services.project();
    for (const { name, version } of allProjections) await registerProjection(services.postgres, name, version);
    rowsBefore = await readRows();
    // This replay is planned before the repair. If it continued, its generation would lack the rows of the lost events.
    await planReplay(services.postgres, { projection: 'uptime', version: 1, verify: false });

    dataDir = await temporaryFolder('data');
    const { dir, stop, restart } = services.node;
    await symlink(dir, join(dataDir, 'event-store'));
    await stop();
    for (const position of lost) flipBit(segmentFile(dir), Number(position) + 100);
    const { places } = await repairLog(dir, Date.parse(repairedAt));
    expect(places).to.have.length(lost.length);
    await restart();

    const damage = { table: 'plays', part: '202608_1_1_0', problem: 'it is gone', found_at: new Date().toISOString() };
    await recordDamage(services.postgres, { projection: 'coffee', generation: 1 }, [damage]);
    const { store, writer, postgres } = services;
    const shared = { store, writers: [writer], postgres };
    const parts = { ...shared, log: createLog('test', 'silent'), metrics: createMetrics('test') };
    projectors = await createProjectors({ ...parts, owner: 'one', dataDir });
  });
  after(async () => {
    await projectors.stop();
    await services.close();
  });

  it('are marked with the rows of the removed events by table, which doctor reports', async () => {
    const rows = { coffee: 1, plays: 1, quarantine: 1, receipts: 2, detections: 1, feeder_heartbeats: 1 };
    expect(await lostEventsOf('coffee')).to.deep.equal([{ repaired_at: repairedAt, rows }]);
    const found = await lostFindings();
    expect(found.map(([subject]) => subject)).to.deep.equal([
      'registry',
      'coffee',
      'watcher-summary',
      'uptime',
      'status',
    ]);
    expect(found.find(([subject]) => subject === 'uptime')![1]).to.equal(
      `generation 1 has handled events that the repair of ${repairedAt} removed from the log; ` +
        `rows of these events: heartbeats 1, intervals 1`,
    );
  });

  it('are not rebuilt by themselves: replays of before the repair are cancelled, and damaged tables plan none', async () => {
    const replays = await waitUntil(
      () => readReplays(services.postgres, 10),
      (found) => found.every(({ endedAt }) => endedAt !== null),
    );
    expect(replays.map(({ projection, state }) => [projection, state])).to.deep.equal([['uptime', 'cancelled']]);
  });

  it('are recorded once for each repair, of a list whose damaged lines are refused by number', async () => {
    const { postgres, writer } = services;
    const shard = { writer, projections: allProjections };
    await recordLogRepairs({ postgres, log: createLog('test', 'silent') }, shard, dataDir);
    expect(await lostEventsOf('coffee')).to.have.length(1);
    const list = join(dataDir, 'event-store', 'repairs.ndjson');
    const [line = ''] = readFileSync(list, 'utf8').split('\n');
    for (const damaged of [line.replace('"to":', '"to":1'), line.slice(1), '{}']) {
      await writeFile(list, `${line}\n${damaged}\n`);
      const refusal: unknown = await readLogRepairs(dataDir).catch((error: unknown) => error);
      expect(String(refusal), damaged).to.contain(`${list}: line 2 is not a repair of the log: restore the file`);
    }
    await writeFile(list, `${line}\n`);
    expect(await readLogRepairs(dataDir)).to.have.length(1);
  });

  it('have the same rows after the events were sent again and an operator started the replays', async () => {
    const { postgres } = services;
    for (const send of Object.values(sendLost)) await send();
    for (const projection of ['coffee', 'uptime'])
      await planReplay(postgres, { projection, version: 1, verify: false });
    await waitUntil(
      () => readReplays(postgres, 2),
      (replays) => replays.every(({ endedAt }) => endedAt !== null),
    );
    await waitUntil(readRows, (rows) => isDeepStrictEqual(rows, rowsBefore), 20_000, 250);
    expect((await readReplays(postgres, 2)).map(({ state }) => state)).to.deep.equal(['done', 'done']);
    expect([await lostEventsOf('coffee'), await lostEventsOf('uptime')]).to.deep.equal([[], []]);
    expect((await lostFindings()).map(([subject]) => subject)).not.to.include.members(['coffee', 'uptime']);
  });
});
