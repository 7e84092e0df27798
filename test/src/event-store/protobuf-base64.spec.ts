import { createRequire } from 'node:module';
import { openEventStore } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import fc from 'fast-check';
import { connect, newStream, readAllOf, urlUnderTest } from './store.fixture.ts';

interface Runtime {
  readonly Message: { readonly bytesAsU8: (bytes: string | Uint8Array) => Uint8Array };
}

describe('base64 decoding of appended data', () => {
  const ofClient = createRequire(createRequire(import.meta.url).resolve('@eventstore/db-client'));
  const { Message } = ofClient('google-protobuf') as Runtime;

  it('uses Node and returns the same bytes', async () => {
    await openEventStore({ url: await urlUnderTest() }).close();
    // The original function has a minified name.
    expect(Message.bytesAsU8.name).to.equal('bytesAsU8');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const decoded = Message.bytesAsU8(Buffer.from(bytes).toString('base64'));
        expect([...decoded]).to.deep.equal([...bytes]);
        expect(decoded.constructor).to.equal(Uint8Array);
        expect(Message.bytesAsU8(bytes)).to.equal(bytes);
      }),
    );
  });

  it('stores what the unmodified client also reads', async () => {
    const [store, stream] = [openEventStore({ url: await urlUnderTest() }), newStream()];
    const metadata = { schemaVersion: 1, receivedAt: '2026-09-14T12:00:00.000Z', requestId: 'ä "1"' };
    const events = ['ä', '😀', '\u0000'].map((text) => ({
      id: crypto.randomUUID(),
      type: 'Appended',
      data: { text },
      metadata,
    }));
    await store.append(stream, events);
    const read = (await readAllOf(await connect(), stream)).map(({ event }) => event!);
    expect(
      read.map(({ id, type, isJson, data, metadata: stored }) => ({ id, type, isJson, data, metadata: stored })),
    ).to.deep.equal(events.map(({ id, type, data }) => ({ id, type, isJson: true, data, metadata })));
    await store.close();
  });
});
