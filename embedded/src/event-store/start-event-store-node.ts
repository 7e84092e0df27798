import { Server, ServerCredentials } from '@grpc/grpc-js';
import { OpenCalls } from './grpc/open-calls.ts';
import { services } from './grpc/services.ts';
import { type WriteLimits, defaultWriteLimits } from './grpc/write-limits.ts';
import { StreamStore } from './streams/index.ts';

export interface EventStoreNodeOptions {
  readonly dataDir: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Loopback unless told otherwise: the node asks nobody who they are. */
  readonly host?: string;
  readonly segmentBytes?: number;
  readonly limits?: Partial<WriteLimits>;
  /** Whether reads leave in chunks of many messages; the plain form is several times dearer. */
  readonly coalescesReads?: boolean;
  /** Whether clients are told of BatchAppend. */
  readonly advertisesBatchAppend?: boolean;
  /** Called when the disk refuses a write. The default ends the process, which is the only safe thing to do. */
  readonly fail?: (error: unknown) => void;
}

export interface EventStoreNode {
  readonly port: number;
  /** Ends all streams, writes out what was accepted, and gives the directory free. */
  readonly close: () => Promise<void>;
}

/** Longest message of a client, as the server of the protocol has it. */
const receivedBytes = 16_767_216;
/** How long calls may take to end once they were told to. */
const graceMs = 1000;

const endProcess = (error: unknown): void => {
  process.stderr.write(
    `event store: the log cannot be written: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exit(1);
};

const bind = (server: Server, address: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });

const shutDown = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, graceMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Starts an event store node in this process. Services are given one in a process of its own: `eventStoreEntry`. */
export const startEventStoreNode = async (options: EventStoreNodeOptions): Promise<EventStoreNode> => {
  const store = await StreamStore.open({
    dir: options.dataDir,
    fail: options.fail ?? endProcess,
    ...(options.segmentBytes === undefined ? {} : { segmentBytes: options.segmentBytes }),
  });
  const server = new Server({
    'grpc.max_receive_message_length': receivedBytes,
    'grpc.max_send_message_length': -1,
  });
  const calls = new OpenCalls();
  const limits = { ...defaultWriteLimits, ...options.limits };
  const { coalescesReads = true, advertisesBatchAppend = true, host = '127.0.0.1' } = options;
  for (const [definition, handlers] of services(store, calls, { limits, coalescesReads, advertisesBatchAppend })) {
    server.addService(definition, handlers);
  }
  try {
    const port = await bind(server, `${host}:${options.port}`);
    return {
      port,
      close: async () => {
        calls.stopAll();
        await shutDown(server);
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
};
