import { expect } from 'chai';
import { binaryEvent, jsonEvent } from '@eventstore/db-client';
import { batch, proposed, sendBatches } from './batch-append.fixture.ts';
import {
  callCredentials,
  connect,
  eventOfSize,
  itsOwnNode,
  newStream,
  rawClient,
  readAllOf,
  refusal,
} from './store.fixture.ts';

const limit = 1_048_576;
/** Server versions differ in the limit (1 MiB up to 24.10) and in what they count. */
describe('event store: the size of an append', function () {
  for (const [rpc, options] of [
    ['BatchAppend', {}],
    ['Append', { credentials: callCredentials }],
  ] as const) {
    itsOwnNode(`14. accepts ${limit} bytes and rejects one more with MaxAppendSizeExceeded (${rpc})`, async () => {
      const client = await connect();
      const stream = newStream();
      await client.appendToStream(stream, eventOfSize(limit), options);
      const error = await refusal(client.appendToStream(stream, eventOfSize(limit + 1), options));
      expect(error).to.include({ type: 'maximum-append-size-exceeded', maxAppendSize: limit });
      expect(await readAllOf(client, stream)).to.have.length(1);
    });

    itsOwnNode(`14. the sum over all events counts, with metadata and types (${rpc})`, async () => {
      const client = await connect();
      const stream = newStream();
      const half = limit / 2;
      const whole = [eventOfSize(half), eventOfSize(half)];
      await client.appendToStream(stream, whole, options);
      const type = 'ä'.repeat(100);
      const counted = binaryEvent({ type, data: Buffer.alloc(half - 200 - 50), metadata: Buffer.alloc(50) });
      await client.appendToStream(stream, [counted, eventOfSize(half)], options);
      const over = [eventOfSize(half), eventOfSize(half), jsonEvent({ type: 'X', data: {} })];
      expect(await refusal(client.appendToStream(stream, over, options))).to.include({
        type: 'maximum-append-size-exceeded',
      });
      expect(await readAllOf(client, stream)).to.have.length(4);
    });
  }

  itsOwnNode('14. a request of 3 MiB in chunks gets exactly one response, and the call continues', async () => {
    const stream = newStream();
    const chunk = (id: string, options: boolean, isFinal: boolean) =>
      batch({ id, ...(options ? { stream } : {}), isFinal, events: [proposed(Buffer.alloc(limit - 1000))] });
    const [big, small] = ['b1111111-1111-4111-8111-111111111111', 'b2222222-2222-4222-8222-222222222222'];
    const answers = await sendBatches(await rawClient(), [
      chunk(big, true, false),
      chunk(big, false, false),
      chunk(big, false, true),
      batch({ id: small, stream, isFinal: true, events: [proposed(Buffer.from('{}'))] }),
    ]);
    const byId = answers.map((answer) => [answer.getCorrelationId()?.getString(), answer.getError()?.getMessage()]);
    expect(byId).to.deep.equal([
      [big, 'MaximumAppendSizeExceeded'],
      [small, undefined],
    ]);
  });

  itsOwnNode('14. the client splits a large append over several requests and gets one error', async () => {
    const client = await connect();
    const stream = newStream();
    const events = Array.from({ length: 6 }, () => eventOfSize(600_000));
    expect(await refusal(client.appendToStream(stream, events))).to.include({ type: 'maximum-append-size-exceeded' });
    const small = await client.appendToStream(
      stream,
      Array.from({ length: 300 }, () => eventOfSize(3000)),
      {
        batchAppendSize: 10_000,
      },
    );
    expect(small.nextExpectedRevision).to.equal(299n);
  });

  itsOwnNode('survives an append of very many tiny events', async () => {
    const [stream, id] = [newStream(), 'b3333333-3333-4333-8333-333333333333'];
    const tiny = proposed(Buffer.alloc(0));
    const events = Array.from({ length: 150_000 }, () => tiny);
    const answers = await sendBatches(await rawClient(), [batch({ id, stream, isFinal: true, events })]);
    expect(answers, 'written, or timed out on a slow disk').to.have.length(1);
    const client = await connect();
    expect((await client.appendToStream(newStream(), eventOfSize(100))).success).to.equal(true);
  });
});
