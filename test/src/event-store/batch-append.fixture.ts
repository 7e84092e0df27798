import { randomUUID } from 'node:crypto';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { type StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import timestamps from 'google-protobuf/google/protobuf/timestamp_pb.js';
import empties from 'google-protobuf/google/protobuf/empty_pb.js';

/** A message of a batch append, as any client may send it. */
export interface BatchMessage {
  readonly id: string;
  /** Options are sent only with a stream. */
  readonly stream?: string;
  readonly deadline?: Date;
  readonly isFinal: boolean;
  readonly events: readonly streams.BatchAppendReq.ProposedMessage[];
}

export const proposed = (data: Buffer, id: string = randomUUID()): streams.BatchAppendReq.ProposedMessage => {
  const message = new streams.BatchAppendReq.ProposedMessage();
  message.setId(uuid(id));
  message.getMetadataMap().set('type', 'T').set('content-type', 'application/octet-stream');
  message.setData(data);
  return message;
};

const uuid = (text: string): shared.UUID => {
  const id = new shared.UUID();
  id.setString(text);
  return id;
};

export const identifier = (stream: string): shared.StreamIdentifier => {
  const name = new shared.StreamIdentifier();
  name.setStreamName(Buffer.from(stream));
  return name;
};

export const batch = ({ id, stream, deadline, isFinal, events }: BatchMessage): streams.BatchAppendReq => {
  const request = new streams.BatchAppendReq();
  request.setCorrelationId(uuid(id));
  if (stream !== undefined) {
    const options = new streams.BatchAppendReq.Options();
    if (stream !== '') options.setStreamIdentifier(identifier(stream));
    options.setAny(new empties.Empty());
    if (deadline) options.setDeadline(timestamps.Timestamp.fromDate(deadline));
    request.setOptions(options);
  }
  request.setIsFinal(isFinal);
  request.setProposedMessagesList([...events]);
  return request;
};

/** Sends the messages over one call, ends it, and returns all responses. */
export const sendBatches = (
  client: StreamsClient,
  messages: readonly streams.BatchAppendReq[],
  endAfterMs = 0,
): Promise<streams.BatchAppendResp[]> =>
  new Promise((resolve, reject) => {
    const answers: streams.BatchAppendResp[] = [];
    const call = client.batchAppend();
    call.on('data', (answer: streams.BatchAppendResp) => answers.push(answer));
    call.on('error', reject);
    call.on('end', () => resolve(answers));
    for (const message of messages) call.write(message);
    setTimeout(() => call.end(), endAfterMs);
  });
