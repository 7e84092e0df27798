import { randomUUID } from 'node:crypto';
import { binaryEvent, EventStoreDBClient } from '@eventstore/db-client';
import { type EventMetadata, intakeStream } from '@popsvc/contracts/events';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { popsvcInProcess } from '../cli/popsvc.fixture.ts';
import { operatorToken } from '../support/test-services.ts';
import { copyNewerBuild } from './newer-build.fixture.ts';
import { waitUntilCaughtUp } from '@popsvc/tools/soak';
import { type ProjectorsProcess, startProjectors } from './projectors-process.fixture.ts';
import { openStage, type Stage } from './stage.fixture.ts';
import { flow, flowRegistry, pushedPlay } from './world.fixture.ts';
import { listEvent } from '../support/list-events.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
/** Number of plays between the bad events. */
const between = isLong ? 2_000 : 20;

interface Parked {
  readonly parked: readonly { readonly position: string; readonly error: string; readonly attempts: number }[];
}

describe('events that cannot be processed', function () {
  this.timeout(300_000);
  let stage: Stage;
  let projectors: ProjectorsProcess;
  let client: EventStoreDBClient;
  before(async () => {
    stage = await openStage();
    await stage.register(flowRegistry);
    client = EventStoreDBClient.connectionString(stage.stores.eventStore.url);
    projectors = await startProjectors(stage.stores);
  });
  after(async () => {
    await client.dispose();
    await projectors.kill9();
    await stage.close();
  });

  const stream = intakeStream('pop', flow.network, flow.vendor, Date.now());
  const about = (schemaVersion = 1) => ({ schemaVersion, receivedAt: new Date().toISOString() });
  const appendPlay = (data: object, metadata: EventMetadata = { ...about(), ...flow }) =>
    stage.store.append(stream, [{ id: randomUUID(), ...listEvent('PlaysRecorded', data), metadata }]);
  const bad: readonly (() => Promise<unknown>)[] = [
    () =>
      client.appendToStream(
        stream,
        binaryEvent({ type: 'PlaysRecorded', data: Buffer.from('{'), metadata: { ...about(), ...flow } }),
      ),
    () => appendPlay({ ...pushedPlay(2), eventId: 7 }),
    // With the id of a later play of another length: the first one in the log counts.
    () => appendPlay({ ...pushedPlay(1, 'newer'), durationMs: 7_000 }, { ...about(2), ...flow }),
    () => appendPlay(pushedPlay(3), about()),
    () => appendPlay({ ...pushedPlay(4), playedAt: '2450-01-01T00:00:00.000Z' }),
  ];

  let play = 100;
  const appendPlays = async () => {
    const events = Array.from({ length: between }, () => listEvent('PlaysRecorded', pushedPlay((play += 1))));
    for (let first = 0; first < events.length; first += 500)
      await stage.append(stream, events.slice(first, first + 500), flow);
  };
  const shown = async () => {
    const rows = await stage.writer.rows<{ id: string; ms: number }>(
      'SELECT event_id AS id, toUInt32(duration_ms) AS ms FROM coffee_live',
    );
    return new Map(rows.map(({ id, ms }) => [id, ms]));
  };
  const popsvc = (...args: readonly string[]) =>
    popsvcInProcess({ POPSVC_OPS_URL: projectors.opsUrl, POPSVC_OPERATOR_TOKEN: operatorToken })(...args);
  const parked = async (): Promise<Parked['parked']> =>
    (JSON.parse((await popsvc('events', 'parked', 'list', 'coffee', '--state', 'parked', '--json')).stdout) as Parked)
      .parked;

  it('are parked with their reason, and others are projected', async () => {
    for (const append of bad) {
      await append();
      await appendPlays();
    }
    await stage.append(stream, [listEvent('PlaysRecorded', pushedPlay(1, 'newer'))], flow);
    await waitUntilCaughtUp(stage);
    const found = await parked();
    expect(found).to.have.length(5);
    expect(found.map(({ attempts }) => attempts)).to.deep.equal([1, 1, 1, 1, 1]);
    for (const { error } of found) expect(error).to.not.equal('');
    expect(await shown()).to.have.property('size', 5 * between + 1);
    expect((await shown()).get('newer')).to.equal(10_000);
    process.stdout.write(found.map(({ error }) => `      ${error}\n`).join(''));
  });

  it('stay parked when the same release retries them', async () => {
    expect((await popsvc('events', 'parked', 'retry', 'coffee', '--all')).code).to.equal(0);
    await waitUntil(parked, (all) => all.length === 5 && all.every(({ attempts }) => attempts === 2));
  });

  it('are applied by a release that can read them, or discarded', async () => {
    const entry = await copyNewerBuild('contracts/dist/events/event-definition.js', (compiled) =>
      compiled.replace('stored > version', 'stored > version + 1'),
    );
    await projectors.stop();
    projectors = await startProjectors(stage.stores, {}, entry);
    const positions = (await parked()).map(({ position }) => position);
    expect((await popsvc('events', 'parked', 'retry', 'coffee', '--all')).code).to.equal(0);
    const left = await waitUntil(parked, (all) => all.length === 4);
    const [, , known] = positions;
    expect(left.map(({ position }) => position)).to.deep.equal(positions.filter((position) => position !== known));
    expect((await shown()).get('newer'), 'the first in the log').to.equal(7_000);
    const discarded = await popsvc('events', 'parked', 'discard', 'coffee', '--all', '--reason', 'unreadable');
    expect(discarded.code, discarded.stderr).to.equal(0);
    await waitUntil(parked, (all) => all.length === 0);
  });

  it('do not stop a replay afterwards', async () => {
    const { code, stdout, stderr } = await popsvc('projections', 'replay', 'coffee', '--verify', '--json');
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ verified: true });
    expect((await shown()).get('newer')).to.equal(7_000);
  });
});
