import { type ServiceDefinition, type UntypedServiceImplementation, type UntypedHandleCall } from '@grpc/grpc-js';
import { type StreamStore } from '../streams/index.ts';
import { appendCall } from './append-call.ts';
import { batchAppendCall } from './batch-append-call.ts';
import { readBatchAppendRequest } from './batch-append-request.ts';
import { deleteCall, softDelete, tombstoneStream } from './delete-call.ts';
import { type OpenCalls } from './open-calls.ts';
import { readCall } from './read-call.ts';
import { readReadRequest } from './read-request.ts';
import { asFramedChunk } from './reply.ts';
import { supportedMethods } from './server-features.ts';
import { type WriteLimits } from './write-limits.ts';

export interface ServiceOptions {
  readonly limits: WriteLimits;
  readonly coalescesReads: boolean;
  readonly advertisesBatchAppend: boolean;
}

const asIs = (bytes: Buffer): Buffer => bytes;

const method = (
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

/** What the node answers; every other method of the protocol is UNIMPLEMENTED. */
export const services = (
  store: StreamStore,
  calls: OpenCalls,
  options: ServiceOptions,
): readonly [ServiceDefinition, UntypedServiceImplementation][] => {
  const at = '/event_store.client.streams.Streams';
  const { limits, coalescesReads } = options;
  const one = { request: false, response: false };
  const features = supportedMethods(options.advertisesBatchAppend);
  const streams: ServiceDefinition = {
    read: method(
      `${at}/Read`,
      { request: false, response: true },
      readReadRequest,
      coalescesReads ? asFramedChunk : asIs,
    ),
    append: method(`${at}/Append`, { request: true, response: false }),
    batchAppend: method(`${at}/BatchAppend`, { request: true, response: true }, readBatchAppendRequest),
    delete: method(`${at}/Delete`, one),
    tombstone: method(`${at}/Tombstone`, one),
  };
  const handlers: Record<string, unknown> = {
    read: readCall(store, calls, coalescesReads),
    append: appendCall(store, calls, limits),
    batchAppend: batchAppendCall(store, calls, limits),
    delete: deleteCall(store, limits, softDelete),
    tombstone: deleteCall(store, limits, tombstoneStream),
  };
  const serverFeatures = {
    getSupportedMethods: method('/event_store.client.server_features.ServerFeatures/GetSupportedMethods', one),
  };
  const getSupportedMethods: UntypedHandleCall = (_call: unknown, callback: (error: null, value: Buffer) => void) =>
    callback(null, features);
  return [
    [streams, handlers as UntypedServiceImplementation],
    [serverFeatures, { getSupportedMethods }],
  ];
};
