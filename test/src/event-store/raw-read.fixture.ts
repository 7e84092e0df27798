import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { identifier } from './batch-append.fixture.ts';
import { rawClient } from './store.fixture.ts';

export type ReadOptions = streams.ReadReq.Options;

/** Complete options of a read of ten events. */
export const streamRead = (stream: string): ReadOptions => {
  const options = new streams.ReadReq.Options();
  const from = new streams.ReadReq.Options.StreamOptions();
  from.setStreamIdentifier(identifier(stream));
  from.setStart(new shared.Empty());
  options.setStream(from);
  options.setCount('10');
  options.setNoFilter(new shared.Empty());
  const ids = new streams.ReadReq.Options.UUIDOption();
  ids.setString(new shared.Empty());
  options.setUuidOption(ids);
  return options;
};

/** Returns all responses to a read with these options. */
export const ask = async (options: ReadOptions): Promise<streams.ReadResp[]> => {
  const client = await rawClient();
  const request = new streams.ReadReq();
  request.setOptions(options);
  const answers: streams.ReadResp[] = [];
  for await (const answer of client.read(request)) answers.push(answer as streams.ReadResp);
  return answers;
};
