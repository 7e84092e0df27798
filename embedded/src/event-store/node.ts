import { type AddressInfo, createServer, type Server as Listener } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { readPeerUser } from './peer-users.ts';
import { OpenCalls } from './grpc/open-calls.ts';
import { createServices } from './grpc/services.ts';
import type { Note } from './log/damage.ts';
import { type WriteLimits, defaultWriteLimits } from './grpc/append.ts';
import { StreamStore } from './streams/stream-store.ts';

export interface EventStoreNodeOptions {
  readonly dataDir: string;
  /** 0 chooses any free port. */
  readonly port: number;
  /**
   * Default: the user of this process and `root`. Only Linux reports the user; elsewhere, every connection counts as one of this
   * process's user.
   */
  readonly acceptsUser?: (user: number) => boolean;
  readonly segmentBytes?: number;
  /** Refuses appends, changes no file, and opens the log even if it is damaged. Default: false. */
  readonly readOnly?: boolean;
  readonly limits?: Partial<WriteLimits>;
  /** Whether a read combines many messages into one write; see `grpc/framed-chunks.ts`. Default: true. */
  readonly coalescesReads?: boolean;
  /** If false, clients use Append. Default: true. */
  readonly advertisesBatchAppend?: boolean;
  /** Called when a sync fails, or a write for another reason than a full disk. Default: exits the process. */
  readonly fail?: (error: unknown) => void;
  readonly note?: Note;
}

export interface EventStoreNode {
  readonly port: number;
  readonly close: () => Promise<void>;
}

const writeNote: Note = (msg, fields) => {
  const line = { level: 40, time: Date.now(), name: 'event-store', ...fields, msg };
  process.stderr.write(`${JSON.stringify(line)}\n`);
};

/** EventStoreDB has the same limit. */
const maxReceivedBytes = 16 * 1_048_576 - 10_000;
/** How long a shutdown waits for open calls before it closes their connections. */
const shutdownTimeoutMs = 1000;

const endProcess = (error: unknown): void => {
  process.stderr.write(
    `event store: write to the log failed: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exit(1);
};

const host = '127.0.0.1';

const isOwnUser = (user: number): boolean => user === 0 || user === process.geteuid?.();

/** Closes the connection of a user that `acceptsUser` rejects, before reading from it. */
const createListener = (server: Server, acceptsUser: (user: number) => boolean): Listener => {
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const refused = new Set<number | undefined>();
  return createServer({ noDelay: true }, (socket) => {
    const user = process.platform === 'linux' ? readPeerUser(socket) : process.geteuid?.();
    if (user !== undefined && acceptsUser(user)) {
      injector.injectConnection(socket);
      return;
    }
    socket.destroy();
    if (!refused.has(user))
      process.stderr.write(`event store: refused a connection of user ${user ?? '(unknown)'} of this machine\n`);
    refused.add(user);
  });
};

const bind = (listener: Listener, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(port, host, () => resolve((listener.address() as AddressInfo).port));
  });

const shutDown = (server: Server, listener: Listener): Promise<void> =>
  new Promise((resolve) => {
    listener.close();
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, shutdownTimeoutMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });

/** A script that needs `EVENT_STORE_DIR` and `EVENT_STORE_PORT`, and prints a JSON line with its port when the node is ready. */
export const eventStoreEntry = fileURLToPath(new URL('./main.js', import.meta.url));

export const startEventStoreNode = async (options: EventStoreNodeOptions): Promise<EventStoreNode> => {
  const store = await StreamStore.open({
    dir: options.dataDir,
    fail: options.fail ?? endProcess,
    note: options.note ?? writeNote,
    readOnly: options.readOnly ?? false,
    ...(options.segmentBytes === undefined ? {} : { segmentBytes: options.segmentBytes }),
  });
  const server = new Server({
    'grpc.max_receive_message_length': maxReceivedBytes,
    'grpc.max_send_message_length': -1,
  });
  const calls = new OpenCalls();
  const limits = { ...defaultWriteLimits, ...options.limits };
  const { coalescesReads = true, advertisesBatchAppend = true } = options;
  let port = options.port;
  for (const [definition, handlers] of createServices(store, calls, {
    limits,
    coalescesReads,
    advertisesBatchAppend,
    readAddress: () => ({ host, port }),
  })) {
    server.addService(definition, handlers);
  }
  try {
    const listener = createListener(server, options.acceptsUser ?? isOwnUser);
    port = await bind(listener, options.port);
    return {
      port,
      close: async () => {
        calls.stopAll();
        await shutDown(server, listener);
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
};
