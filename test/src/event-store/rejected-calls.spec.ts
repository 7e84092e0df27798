import { expect } from 'chai';
import { type ServiceError, status } from '@grpc/grpc-js';
import { persistentSubscriptionToStreamSettingsFromDefaults } from '@eventstore/db-client';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { identifier } from './batch-append.fixture.ts';
import { type ReadOptions as Options, ask, streamRead } from './raw-read.fixture.ts';
import { connect, itsOwnNode, newStream, rawClient, refusal } from './store.fixture.ts';

describe('event store: rejected calls', function () {
  const codeWithout = async (change: (options: Options) => unknown): Promise<unknown> => {
    const options = streamRead(newStream());
    change(options);
    return ((await refusal(ask(options))) as unknown as ServiceError).code;
  };

  it('rejects reads with a missing option', async () => {
    expect(await codeWithout((options) => options.clearCount())).to.equal(status.INVALID_ARGUMENT);
    expect(await codeWithout((options) => options.clearStream())).to.equal(status.INVALID_ARGUMENT);
    expect(await codeWithout((options) => options.getStream()?.clearStart())).to.equal(status.UNKNOWN);
  });

  // EventStoreDB 24.10 does the same. 23.10 fails only when it encodes the first event.
  itsOwnNode('rejects reads that do not name the form of event ids', async () => {
    expect(await codeWithout((options) => options.clearUuidOption())).to.equal(status.INVALID_ARGUMENT);
  });

  it('rejects an invalid filter', async () => {
    const base = (): { options: Options; filter: streams.ReadReq.Options.FilterOptions } => {
      const options = streamRead('');
      const all = new streams.ReadReq.Options.AllOptions();
      all.setStart(new shared.Empty());
      options.setAll(all);
      options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions());
      const filter = new streams.ReadReq.Options.FilterOptions();
      const expression = new streams.ReadReq.Options.FilterOptions.Expression();
      expression.addPrefix('a');
      filter.setStreamIdentifier(expression);
      filter.setMax(32);
      filter.setCheckpointintervalmultiplier(1);
      options.setFilter(filter);
      return { options, filter };
    };
    const withoutWindow = base();
    withoutWindow.filter.clearMax();
    const withoutInterval = base();
    withoutInterval.filter.setCheckpointintervalmultiplier(0);
    for (const { options } of [withoutWindow, withoutInterval]) {
      expect(((await refusal(ask(options))) as unknown as ServiceError).code).to.equal(status.INVALID_ARGUMENT);
    }
  });

  itsOwnNode('sends the trailers by which clients distinguish errors', async () => {
    const client = await rawClient();
    const stream = newStream();
    const request = new streams.DeleteReq();
    const options = new streams.DeleteReq.Options();
    options.setStreamIdentifier(identifier(stream));
    options.setRevision('7');
    request.setOptions(options);
    const error = await new Promise<ServiceError | null>((resolve) =>
      client.delete(request, (failure) => resolve(failure)),
    );
    expect(error?.code).to.equal(status.FAILED_PRECONDITION);
    expect(error?.details).to.contain(`Stream: ${stream}, Expected version: 7, Actual version: -1`);
    expect(error?.metadata.getMap()).to.deep.include({
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': '7',
      'actual-version': '-1',
    });
  });

  itsOwnNode('returns UNIMPLEMENTED for unsupported calls', async () => {
    const client = await connect();
    const group = client.createPersistentSubscriptionToStream(
      newStream(),
      'group',
      persistentSubscriptionToStreamSettingsFromDefaults(),
    );
    expect(await refusal(group)).to.include({ code: status.UNIMPLEMENTED });
    expect(await refusal(client.createProjection('p', 'fromAll()'))).to.include({ code: status.UNIMPLEMENTED });
  });
});
