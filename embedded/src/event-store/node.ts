import { fileURLToPath } from 'node:url';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { OpenCalls } from './grpc/open-calls.ts';
import { createServices } from './grpc/services.ts';
import { type WriteLimits, defaultWriteLimits } from './grpc/append.ts';
import { StreamStore } from './streams/stream-store.ts';

export interface EventStoreNodeOptions {
  readonly dataDir: string;
  /** Port to listen on; 0 chooses any free port. */
  readonly port: number;
  /** Address to listen on. Default: 127.0.0.1, because the node does not authenticate clients. */
  readonly host?: string;
  readonly segmentBytes?: number;
  readonly limits?: Partial<WriteLimits>;
  /** Whether a read combines many messages into one write; see `grpc/framed-chunks.ts`. Default: true. */
  readonly coalescesReads?: boolean;
  /** Whether the node announces BatchAppend to clients. If not, clients use Append. Default: true. */
  readonly advertisesBatchAppend?: boolean;
  /** Called when a write to the log fails. Default: exits the process, because later writes could leave a gap. */
  readonly fail?: (error: unknown) => void;
}

export interface EventStoreNode {
  readonly port: number;
  /** Ends all calls, waits until accepted appends are durable and releases the directory lock. */
  readonly close: () => Promise<void>;
}

/** Maximum size in bytes of a message from a client. EventStoreDB has the same limit. */
const maxReceivedBytes = 16 * 1_048_576 - 10_000;
/** How long a shutdown waits for open calls before it closes their connections. */
const shutdownTimeoutMs = 1000;

const endProcess = (error: unknown): void => {
  process.stderr.write(
    `event store: write to the log failed: ${error instanceof Error ? error.message : String(error)}\n`,
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
    }, shutdownTimeoutMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });

/**
 * Path of the script that runs a node in its own process. The script needs `EVENT_STORE_DIR` and `EVENT_STORE_PORT`. When the
 * node is ready, the script prints a JSON line with its port.
 */
export const eventStoreEntry = fileURLToPath(new URL('./main.js', import.meta.url));

/** Starts an event store node in this process. */
export const startEventStoreNode = async (options: EventStoreNodeOptions): Promise<EventStoreNode> => {
  const store = await StreamStore.open({
    dir: options.dataDir,
    fail: options.fail ?? endProcess,
    ...(options.segmentBytes === undefined ? {} : { segmentBytes: options.segmentBytes }),
  });
  const server = new Server({
    'grpc.max_receive_message_length': maxReceivedBytes,
    'grpc.max_send_message_length': -1,
  });
  const calls = new OpenCalls();
  const limits = { ...defaultWriteLimits, ...options.limits };
  const { coalescesReads = true, advertisesBatchAppend = true, host = '127.0.0.1' } = options;
  for (const [definition, handlers] of createServices(store, calls, {
    limits,
    coalescesReads,
    advertisesBatchAppend,
  })) {
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
