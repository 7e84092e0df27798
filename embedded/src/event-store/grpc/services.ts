import type { ServiceDefinition, UntypedHandleCall, UntypedServiceImplementation } from '@grpc/grpc-js';
import { ProtobufWriter } from '../protobuf/wire-format.ts';
import { type StreamStore } from '../streams/stream-store.ts';
import { createAppendHandler, createDeleteHandler, softDelete, tombstoneStream, type WriteLimits } from './append.ts';
import { checkStreamName } from './append-codec.ts';
import { decodeBatchAppendRequest } from './batch-append-codec.ts';
import { createBatchAppendHandler } from './batch-append.ts';
import type { OpenCalls } from './open-calls.ts';
import { invalidArgument, serverStopping, toGrpcError } from './errors.ts';
import { serializeFramedChunk } from './framed-chunks.ts';
import { createGossipHandler, type NodeAddress } from './gossip.ts';
import { decodeReadRequest, type ReadRequest } from './read-codec.ts';
import { readAll, readStream } from './read.ts';
import { type ReadCall, Reply } from './reply.ts';
import { subscribeToAll, subscribeToStream } from './subscribe.ts';

interface SupportedMethod {
  readonly service: string;
  readonly method: string;
  readonly features: readonly string[];
}

const streams = 'event_store.client.streams.streams';
const streamsMethods: readonly SupportedMethod[] = [
  { service: streams, method: 'read', features: ['position', 'events'] },
  { service: streams, method: 'append', features: [] },
  { service: streams, method: 'delete', features: [] },
  { service: streams, method: 'tombstone', features: [] },
  { service: 'event_store.client.server_features.serverfeatures', method: 'getsupportedmethods', features: [] },
];
const batchAppend: SupportedMethod = { service: streams, method: 'batchappend', features: ['deadline_duration'] };

/** The version of EventStoreDB whose behavior this node follows. */
const serverVersion = '24.10.0';

/** Clients that do not find `batchappend` use Append. */
const encodeSupportedMethods = (advertisesBatchAppend: boolean): Buffer => {
  const response = new ProtobufWriter();
  for (const { service, method, features } of [...streamsMethods, ...(advertisesBatchAppend ? [batchAppend] : [])]) {
    response.message(1, (entry) => {
      entry.text(1, method).text(2, service);
      for (const feature of features) entry.text(3, feature);
    });
  }
  return response.text(2, serverVersion).finish();
};

interface ServiceOptions {
  readonly limits: WriteLimits;
  readonly coalescesReads: boolean;
  readonly advertisesBatchAppend: boolean;
  /** Called only after the node listens, so the port is final. */
  readonly readAddress: () => NodeAddress;
}

/** grpc-js passes buffers through, because this package decodes requests and encodes responses itself. */
const asIs = (bytes: Buffer): Buffer => bytes;

const defineMethod = (
  path: string,
  streams: { readonly request: boolean; readonly response: boolean },
  read: (bytes: Buffer) => unknown = asIs,
  write: (bytes: Buffer) => Buffer = asIs,
): ServiceDefinition[string] => ({
  path,
  requestStream: streams.request,
  responseStream: streams.response,
  requestDeserialize: read,
  requestSerialize: asIs as (value: unknown) => Buffer,
  responseSerialize: write as (value: unknown) => Buffer,
  responseDeserialize: asIs,
});

const serveRead = (store: StreamStore, request: ReadRequest, reply: Reply): Promise<void> => {
  if (request.ids === undefined) throw invalidArgument('The UUID option is missing');
  if (request.count === undefined) throw invalidArgument('The read has neither a count nor is it a subscription');
  if (!request.stream && !request.all) throw invalidArgument('The read names neither a stream nor $all');
  if (request.stream) checkStreamName(request.stream.name);
  if (request.count === 'subscription') {
    if (request.backward) throw invalidArgument('A subscription cannot go backwards');
    return request.stream ? subscribeToStream(store, request, reply) : subscribeToAll(store, request, reply);
  }
  return request.stream ? readStream(store, request, reply) : readAll(store, request, reply);
};

const createReadHandler =
  (store: StreamStore, calls: OpenCalls, coalesces: boolean) =>
  (call: ReadCall): void => {
    const reply = new Reply(call, coalesces);
    const unregister = calls.register(() => reply.fail(serverStopping()));
    Promise.resolve()
      .then(() => serveRead(store, call.request, reply))
      .then(() => reply.flush())
      .then(
        () => reply.end(),
        (error: unknown) => reply.fail(toGrpcError(error)),
      )
      .finally(unregister);
  };

/** grpc-js answers every other method of the protocol with UNIMPLEMENTED. */
export const createServices = (
  store: StreamStore,
  calls: OpenCalls,
  options: ServiceOptions,
): readonly [ServiceDefinition, UntypedServiceImplementation][] => {
  const path = '/event_store.client.streams.Streams';
  const { limits, coalescesReads } = options;
  const unary = { request: false, response: false };
  const features = encodeSupportedMethods(options.advertisesBatchAppend);
  const streams: ServiceDefinition = {
    read: defineMethod(
      `${path}/Read`,
      { request: false, response: true },
      decodeReadRequest,
      coalescesReads ? serializeFramedChunk : asIs,
    ),
    append: defineMethod(`${path}/Append`, { request: true, response: false }),
    batchAppend: defineMethod(`${path}/BatchAppend`, { request: true, response: true }, decodeBatchAppendRequest),
    delete: defineMethod(`${path}/Delete`, unary),
    tombstone: defineMethod(`${path}/Tombstone`, unary),
  };
  const handlers: Record<string, unknown> = {
    read: createReadHandler(store, calls, coalescesReads),
    append: createAppendHandler(store, calls, limits),
    batchAppend: createBatchAppendHandler(store, calls, limits),
    delete: createDeleteHandler(store, limits, softDelete),
    tombstone: createDeleteHandler(store, limits, tombstoneStream),
  };
  const serverFeatures = {
    getSupportedMethods: defineMethod('/event_store.client.server_features.ServerFeatures/GetSupportedMethods', unary),
  };
  const getSupportedMethods: UntypedHandleCall = (_call: unknown, callback: (error: null, value: Buffer) => void) =>
    callback(null, features);
  const gossip = { read: defineMethod('/event_store.client.gossip.Gossip/Read', unary) };
  return [
    [streams, handlers as UntypedServiceImplementation],
    [serverFeatures, { getSupportedMethods }],
    [gossip, { read: createGossipHandler(options.readAddress) }],
  ];
};
