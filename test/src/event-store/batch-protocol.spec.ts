import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type streams from '@eventstore/db-client/generated/streams_pb.js';
import { batch, proposed, sendBatches } from './batch-append.fixture.ts';
import { connect, itsOwnNode, newStream, rawClient, readAllOf } from './store.fixture.ts';

const event = () => proposed(Buffer.from('x'));
const outcome = (answer: streams.BatchAppendResp): [string | undefined, string] => [
  answer.getCorrelationId()?.getString(),
  answer.getError()?.getMessage().replace(/:.*/s, '') ??
    `revision ${String(answer.getSuccess()?.getCurrentRevision())}`,
];

describe('event store: the BatchAppend call', function () {
  it('joins the messages of an append by correlation id, with other appends in between', async () => {
    const [stream, other, one, two] = [newStream(), newStream(), randomUUID(), randomUUID()];
    const answers = await sendBatches(await rawClient(), [
      batch({ id: one, stream, isFinal: false, events: [event()] }),
      batch({ id: two, stream: other, isFinal: true, events: [event()] }),
      batch({ id: one, isFinal: false, events: [event()] }),
      batch({ id: one, stream: other, isFinal: true, events: [event()] }),
    ]);
    expect(answers.map(outcome)).to.deep.equal([
      [two, 'revision 0'],
      [one, 'revision 2'],
    ]);
    const names = answers.map((answer) => Buffer.from(answer.getStreamIdentifier()!.getStreamName_asU8()).toString());
    expect(names).to.deep.equal([other, stream]);
    expect(await readAllOf(await connect(), stream), 'options of later parts are ignored').to.have.length(3);
  });

  it('ignores messages of an append that was not begun', async () => {
    const [stream, stray, known] = [newStream(), randomUUID(), randomUUID()];
    const answers = await sendBatches(
      await rawClient(),
      [
        batch({ id: stray, isFinal: true, events: [event()] }),
        batch({ id: known, stream, isFinal: true, events: [event()] }),
      ],
      1,
    );
    expect(answers.map(outcome)).to.deep.equal([[known, 'revision 0']]);
  });

  itsOwnNode('rejects options without a stream and events without a type, and continues', async () => {
    const [stream, nameless, typeless, good] = [newStream(), randomUUID(), randomUUID(), randomUUID()];
    const untyped = event();
    untyped.getMetadataMap().del('type');
    const answers = await sendBatches(await rawClient(), [
      batch({ id: nameless, stream: '', isFinal: true, events: [event()] }),
      batch({ id: typeless, stream, isFinal: true, events: [untyped] }),
      batch({ id: good, stream, isFinal: true, events: [event()] }),
    ]);
    expect(answers.map(outcome)).to.deep.equal([
      [nameless, 'BadRequest'],
      [typeless, 'BadRequest'],
      [good, 'revision 0'],
    ]);
  });

  it('15. an expired deadline gets an error at once, and nothing is written', async () => {
    const [stream, id, good] = [newStream(), randomUUID(), randomUUID()];
    const answers = await sendBatches(await rawClient(), [
      batch({ id, stream, deadline: new Date(Date.now() - 1000), isFinal: true, events: [event()] }),
      batch({ id: good, stream, isFinal: true, events: [event()] }),
    ]);
    expect(answers.map(outcome)).to.deep.equal([
      [id, 'Timeout'],
      [good, 'revision 0'],
    ]);
  });

  it('15. an append that is never completed gets an error at its deadline', async () => {
    const [stream, id] = [newStream(), randomUUID()];
    const began = Date.now();
    const open = batch({ id, stream, deadline: new Date(began + 400), isFinal: false, events: [event()] });
    const late = batch({ id, isFinal: true, events: [event()] });
    const call = (await rawClient()).batchAppend();
    const answers: [string | undefined, string][] = [];
    call.on('data', (answer: streams.BatchAppendResp) => {
      answers.push(outcome(answer));
      expect(Date.now() - began).to.be.at.least(300);
      call.write(late);
      setTimeout(() => call.cancel(), 300);
    });
    const ended = new Promise((resolve) => call.on('error', resolve));
    call.write(open);
    await ended;
    expect(answers).to.deep.equal([[id, 'Timeout']]);
  });

  // EventStoreDB leaves such a call open.
  itsOwnNode('answers unfinished appends with an error and ends the call when the client has ended it', async () => {
    const id = randomUUID();
    const call = (await rawClient()).batchAppend();
    const answers: [string | undefined, string][] = [];
    call.on('data', (answer: streams.BatchAppendResp) => answers.push(outcome(answer)));
    const ended = new Promise((resolve) => call.on('end', resolve));
    call.write(batch({ id, stream: newStream(), isFinal: false, events: [event()] }));
    call.end();
    await ended;
    expect(answers).to.deep.equal([[id, 'Timeout']]);
  });
});
