import { randomUUID } from 'node:crypto';
import { binaryEvent, EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { type EventMetadata, sequenceOf } from '@popsvc/contracts/events';
import { coffeeDataset } from '@popsvc/read-models/datasets';
import type { EventStore, SubscriptionItem, LogEvent } from '@popsvc/platform/event-store';
import { listParkedEvents } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { startTestCollector } from '../../support/collector.ts';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { sendingTo } from '../../tracing/tracing.fixture.ts';
import { smallRegistry } from '../../support/small-registry.ts';
import { decide, runTo, tablesOf } from './parked.fixture.ts';
import { expectSameTables, readTables } from '../rebuild.fixture.ts';
import { listEvent } from '../../support/list-events.ts';

const stream = 'pop-1.acme.20260820';
const limits = { rows: 10_000, bytes: 1e9, ageMs: 30 };
const play = (eventId: string, more: object = {}) => ({
  eventId,
  screenId: 'screen-1',
  campaignId: 'C-100',
  creativeId: 'CR-1',
  playedAt: `2026-08-20T14:0${eventId.length}:00.000Z`,
  durationMs: 10_000,
  ...more,
});
const metadata = { schemaVersion: 1, receivedAt: '2026-08-20T15:00:00.000Z', network: 1, vendor: 'acme' };

/** The log as read by a release that can read these events, or those of a newer version only. */
const repairLog = (store: EventStore, isKnown: (event: LogEvent) => boolean = () => true): EventStore => {
  const repairEvent = (event: LogEvent): LogEvent => {
    if (event.stream !== stream || !isKnown(event)) return event;
    const known = event.data instanceof Uint8Array ? {} : (event.data as { plays?: readonly { eventId?: unknown }[] });
    const eventId = known.plays?.[0]?.eventId;
    const repaired = play(typeof eventId === 'string' ? eventId : `at ${event.position}`);
    return { ...event, ...listEvent('PlaysRecorded', repaired), metadata };
  };
  return {
    ...store,
    readEventAt: async (position) => {
      const event = await store.readEventAt(position);
      return event && repairEvent(event);
    },
    async *readStream(...given) {
      for await (const event of store.readStream(...given)) yield repairEvent(event);
    },
    async *subscribe(options) {
      for await (const followed of store.subscribe(options))
        yield followed.kind === 'event'
          ? ({ kind: 'event', event: repairEvent(followed.event) } satisfies SubscriptionItem)
          : followed;
    },
  };
};

describe('events that this release cannot project', function () {
  let system: TestSystem;
  let client: EventStoreDBClient;
  before(async () => {
    system = await startTestSystem();
    client = EventStoreDBClient.connectionString(system.node.url);
    await system.register(smallRegistry);
  });
  after(async () => {
    await client.dispose();
    await system.close();
  });

  const json = (data: object, about: object = metadata) =>
    jsonEvent({ id: randomUUID(), ...listEvent('PlaysRecorded', data), metadata: { ...about } });
  const kinds = {
    JSON: () => binaryEvent({ id: randomUUID(), type: 'PlaysRecorded', data: Buffer.from('{"eventId":') }),
    'expected string': () => json(play('b', { eventId: 7 })),
    'newer release': () => json(play('cc'), { ...metadata, schemaVersion: 99 }),
    'has no network': () => json(play('ddd'), { schemaVersion: 1, receivedAt: metadata.receivedAt }),
    'instant between 1900 and 2299': () => json(play('eeee', { playedAt: '9999-01-01T00:00:00.000Z' })),
    UInt64: () => json(play('fffff', { durationMs: -1 })),
    'longer than 31 days': () => json(play('gggggg', { durationMs: Number.MAX_SAFE_INTEGER })),
    'no valid receivedAt': () => json(play('hhhhhhh'), { ...metadata, receivedAt: 'yesterday' }),
    'schema version': () => jsonEvent({ id: randomUUID(), ...listEvent('PlaysRecorded', play('iiiiiiii')) }),
  };

  it('are parked, each with its reason, while others are projected and traces are exported', async () => {
    for (const kind of Object.values(kinds)) {
      await client.appendToStream(stream, kind());
      await system.play({ eventId: randomUUID() });
    }
    const collector = await startTestCollector();
    await sendingTo(collector, () => runTo(system, 'coffee', { limits }));
    await collector.stop();
    expect(await system.rows(coffeeDataset)).to.have.length(Object.keys(kinds).length);
    const parked = await listParkedEvents(system.postgres, { projection: 'coffee', limit: 100 });
    const wanted = Object.keys(kinds);
    wanted[0] = 'schema version';
    expect(parked).to.have.length(wanted.length);
    for (const [index, { error, attempts }] of parked.entries()) {
      expect(error).to.include(wanted[index]);
      expect(attempts).to.equal(1);
    }
    expect(JSON.parse(parked[0]!.raw)).to.deep.include({
      data: { base64: Buffer.from('{"eventId":').toString('base64') },
    });
  });

  it('are released by a version that knows them, in the order of the log; the others stay parked', async () => {
    const parked = await listParkedEvents(system.postgres, { projection: 'coffee', limit: 100 });
    expect(await decide(system, { projection: 'coffee', sequences: undefined })).to.equal(parked.length);
    const newer = repairLog(
      system.store,
      ({ metadata }) => (metadata as Partial<EventMetadata> | undefined)?.schemaVersion === 99,
    );
    await runTo(system, 'coffee', { limits, store: newer });
    const left = await listParkedEvents(system.postgres, { projection: 'coffee', limit: 100 });
    expect(left.map(({ sequence, attempts }) => [sequence, attempts])).to.deep.equal(
      parked.filter(({ error }) => !error.includes('newer release')).map(({ sequence }) => [sequence, 2]),
    );
    expect(await system.rows(coffeeDataset)).to.have.length(parked.length + 1);
    const store = repairLog(system.store);
    expect(await decide(system, { projection: 'coffee', sequences: undefined })).to.equal(left.length);
    await runTo(system, 'coffee', { limits, store });
    expect(await listParkedEvents(system.postgres, { limit: 100 })).to.deep.equal([]);
    await tablesOf(system, 'coffee', 2);
    await runTo(system, 'coffee', { limits, store, generation: 2, poisonPolicy: 'stop' });
    expect((await readTables(system, 1))['plays']).to.have.length(2 * parked.length);
    await expectSameTables(system, [2, 1]);
  });

  it('stop each projection whose state they change, until they are discarded: a zone that the time zone data lacks', async () => {
    const site = { ...smallRegistry.sites[0], timezone: 'Etc/Unknown' };
    const position = await system.append('registry-site.2', 'SiteChanged', site);
    await system.play({ eventId: 'after' });
    for (const projection of ['registry', 'coffee', 'watcher-summary']) {
      const error: unknown = await runTo(system, projection, { limits }).catch((caught: unknown) => caught);
      expect(error).to.have.property('name', 'UnfoldableEvent');
      expect(String(error)).to.match(
        new RegExp(`SiteChanged at position ${position}:0 .*lacks the time zone Etc/Unknown.* discard ${projection} `),
      );
      await decide(system, { projection, sequences: [sequenceOf(position)], reason: 'no such zone' });
      await runTo(system, projection, { limits });
    }
    expect(await listParkedEvents(system.postgres, { limit: 100 })).to.deep.equal([]);
    expect(
      (await readTables(system, 1))['plays']!.some((row) => (row as { event_id: string }).event_id === 'after'),
    ).to.equal(true);
  });
});
