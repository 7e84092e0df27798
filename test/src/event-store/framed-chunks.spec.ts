import { connect } from 'node:http2';
import { startEventStoreNode } from '@popsvc/embedded/event-store';
import { ProtobufWriter } from '@popsvc/embedded/event-store/protobuf';
import { temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { connectTo, someEvents } from './store.fixture.ts';

const eventCount = 1_000;

/** Reads the stream `s` with plain HTTP/2; returns the body and the number of HTTP/2 DATA frames with payload. */
const readRaw = async (port: number) => {
  const session = connect(`http://127.0.0.1:${port}`);
  try {
    const options = new ProtobufWriter().message(1, (read) =>
      read
        .message(1, (stream) => stream.message(1, (identifier) => identifier.text(3, 's')).message(3))
        .uint(5, eventCount)
        .message(8)
        .message(9, (ids) => ids.message(2)),
    );
    const message = options.finish();
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(message.length, 1);
    const call = session.request({
      ':method': 'POST',
      ':path': '/event_store.client.streams.Streams/Read',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    call.end(Buffer.concat([prefix, message]));
    const frames: Buffer[] = [];
    for await (const frame of call as AsyncIterable<Buffer>) frames.push(frame);
    return { body: Buffer.concat(frames), frames: frames.length };
  } finally {
    session.close();
  }
};

/** The lengths of the gRPC messages in a body. */
const messageLengths = (body: Buffer): number[] => {
  const lengths: number[] = [];
  for (let at = 0; at < body.length; at += 5 + lengths.at(-1)!) {
    expect(body[at], 'compression flag').to.equal(0);
    lengths.push(body.readUInt32BE(at + 1));
  }
  return lengths;
};

/** Without framed chunks a read writes each message alone, which costs the node three times the CPU. */
describe('framed chunks of a read', () => {
  it('contain the same bytes as single messages, in less than a tenth of the writes', async () => {
    const dataDir = await temporaryFolder('framed-chunks');
    const results: Awaited<ReturnType<typeof readRaw>>[] = [];
    for (const coalescesReads of [true, false]) {
      const node = await startEventStoreNode({ dataDir, port: 0, coalescesReads });
      if (coalescesReads) {
        const client = connectTo(`esdb://127.0.0.1:${node.port}?tls=false`);
        await client.appendToStream('s', someEvents(eventCount));
        await client.dispose();
      }
      results.push(await readRaw(node.port));
      await node.close();
    }
    const [chunks, single] = results;
    expect(messageLengths(chunks!.body)).to.have.length(eventCount);
    expect(chunks!.body.equals(single!.body)).to.equal(true);
    expect(single!.frames).to.be.at.least(eventCount / 2);
    expect(chunks!.frames).to.be.lessThan(eventCount / 10);
  });
});
