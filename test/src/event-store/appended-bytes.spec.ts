import { createRequire } from 'node:module';
import { openEventStore } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import fc from 'fast-check';
import { connect, newStream, readAllOf, urlUnderTest } from './store.fixture.ts';

interface Runtime {
  readonly Message: { readonly bytesAsU8: (bytes: string | Uint8Array) => Uint8Array };
}

describe('event store: what the client writes for us', () => {
  const ofClient = createRequire(createRequire(import.meta.url).resolve('@eventstore/db-client'));
  const { Message } = ofClient('google-protobuf') as Runtime;

  it('is decoded by Node, to the same bytes', async () => {
    await openEventStore({ url: await urlUnderTest() }).close();
    // The runtime's own bears what its minifier left of a name.
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

  it('is read as it was told, by the client alone, too', async () => {
    const [store, stream] = [openEventStore({ url: await urlUnderTest() }), newStream()];
    const metadata = { schemaVersion: 1, receivedAt: '2026-09-14T12:00:00.000Z', requestId: 'ä "1"' };
    const told = ['ä', '😀', '\u0000'].map((text) => ({
      id: crypto.randomUUID(),
      type: 'Told',
      data: { text },
      metadata,
    }));
    await store.append(stream, told);
    const read = (await readAllOf(await connect(), stream)).map(({ event }) => event!);
    expect(
      read.map(({ id, type, isJson, data, metadata: beside }) => ({ id, type, isJson, data, beside })),
    ).to.deep.equal(told.map(({ id, type, data }) => ({ id, type, isJson: true, data, beside: metadata })));
    await store.close();
  });
});
