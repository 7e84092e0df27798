import { randomUUID } from 'node:crypto';
import type { UntypedHandleCall } from '@grpc/grpc-js';
import { ProtobufWriter } from '../protobuf/wire-format.ts';

export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

/** The state of a leader in the protocol's `VNodeState`. */
const leader = 8;

const encodeClusterInfo = (instanceId: string, { host, port }: NodeAddress): Buffer =>
  new ProtobufWriter()
    .message(1, (member) => {
      member
        .message(1, (id) => id.text(2, instanceId))
        .uint(2, Date.now())
        .uint(3, leader)
        .uint(4, 1)
        .message(5, (endPoint) => endPoint.text(1, host).uint(2, port));
    })
    .finish();

/** A client whose connection string names several nodes requests the members of the cluster, and then connects to the leader. */
export const createGossipHandler = (readAddress: () => NodeAddress): UntypedHandleCall => {
  const instanceId = randomUUID();
  return (_call: unknown, callback: (error: null, value: Buffer) => void) =>
    callback(null, encodeClusterInfo(instanceId, readAddress()));
};
