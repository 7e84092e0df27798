import { expect } from 'chai';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { ask, streamRead } from './raw-read.fixture.ts';
import { connect, newStream, someEvents } from './store.fixture.ts';

describe('event store: options of newer clients', function () {
  it('returns ids as two numbers on request, and last positions to newer clients', async () => {
    const client = await connect();
    const stream = newStream();
    const [event] = someEvents(1);
    await client.appendToStream(stream, event!);
    const options = streamRead(stream);
    options.getUuidOption()?.setStructured(new shared.Empty());
    const control = new streams.ReadReq.Options.ControlOption();
    control.setCompatibility(1);
    options.setControlOption(control);
    const [read, last] = await ask(options);
    const { mostSignificantBits, leastSignificantBits } = read!
      .getEvent()!
      .getEvent()!
      .getId()!
      .getStructured()!
      .toObject();
    const hex = [mostSignificantBits, leastSignificantBits].map((half) =>
      BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0'),
    );
    expect(hex.join('')).to.equal(event!.id.replaceAll('-', ''));
    expect(Buffer.from(read!.getEvent()!.getEvent()!.getData_asU8()).toString()).to.equal('{"n":0}');
    expect(last!.getLastStreamPosition()).to.equal('0');
  });
});
