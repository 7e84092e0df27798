import { ProtobufWriter } from '../protobuf/wire-writer.ts';

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

/** The server version whose behaviour this node follows. */
export const serverVersion = '24.10.0';

/** SupportedMethods. Clients that do not find batch append fall back to Append. */
export const supportedMethods = (advertisesBatchAppend: boolean): Buffer => {
  const answer = new ProtobufWriter();
  for (const { service, method, features } of [...streamsMethods, ...(advertisesBatchAppend ? [batchAppend] : [])]) {
    answer.message(1, (entry) => {
      entry.text(1, method).text(2, service);
      for (const feature of features) entry.text(3, feature);
    });
  }
  return answer.text(2, serverVersion).finish();
};
