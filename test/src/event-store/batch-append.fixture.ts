import { randomUUID } from 'node:crypto';
import { type ServiceError, status } from '@grpc/grpc-js';
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

/** How long a call stays open after the expected responses, to catch responses that are too many. */
const graceMs = 200;

/**
 * Sends the messages over one call and returns all responses. Cancels the call after `expected` responses, because EventStoreDB does not
 * end a call without pending appends when the client has ended it.
 */
export const sendBatches = (
  client: StreamsClient,
  messages: readonly streams.BatchAppendReq[],
  expected = messages.filter((message) => message.getIsFinal()).length,
): Promise<streams.BatchAppendResp[]> =>
  new Promise((resolve, reject) => {
    const answers: streams.BatchAppendResp[] = [];
    const call = client.batchAppend();
    call.on('data', (answer: streams.BatchAppendResp) => {
      if (answers.push(answer) === expected) setTimeout(() => call.cancel(), graceMs);
    });
    call.on('error', (error: ServiceError) => {
      if (error.code === status.CANCELLED) resolve(answers);
      else reject(error);
    });
    for (const message of messages) call.write(message);
  });
