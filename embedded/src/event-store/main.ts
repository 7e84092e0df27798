import { logVerbosity, setLogVerbosity } from '@grpc/grpc-js';
import { z } from 'zod';
import { startEventStoreNode } from './node.ts';

const environment = z.object({
  EVENT_STORE_DIR: z.string().min(1),
  EVENT_STORE_PORT: z.coerce.number().int().min(0).max(65_535),
  EVENT_STORE_SEGMENT_BYTES: z.coerce.number().int().min(4096).optional(),
  EVENT_STORE_READ_ONLY: z.enum(['0', '1']).default('0'),
  EVENT_STORE_BATCH_APPEND: z.enum(['0', '1']).default('1'),
  STOP_WITH_PARENT: z.enum(['0', '1']).default('0'),
});

const exitWithError = (message: string): never => {
  process.stderr.write(`event store: ${message}\n`);
  process.exit(1);
};

// Keeps grpc-js from writing its own messages to standard error.
setLogVerbosity(logVerbosity.NONE);

const parsed = environment.safeParse(process.env);
if (!parsed.success) exitWithError(z.prettifyError(parsed.error));
const config = parsed.data!;

const describeError = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  return message.includes('EADDRINUSE') ? `port ${config.EVENT_STORE_PORT} is in use by another process` : message;
};

const node = await startEventStoreNode({
  dataDir: config.EVENT_STORE_DIR,
  port: config.EVENT_STORE_PORT,
  readOnly: config.EVENT_STORE_READ_ONLY === '1' || process.argv.includes('--read-only'),
  advertisesBatchAppend: config.EVENT_STORE_BATCH_APPEND === '1',
  ...(config.EVENT_STORE_SEGMENT_BYTES === undefined ? {} : { segmentBytes: config.EVENT_STORE_SEGMENT_BYTES }),
}).catch((error: unknown) => exitWithError(describeError(error)));

let stopping = false;
const stop = (): void => {
  if (stopping) return;
  stopping = true;
  node.close().then(
    () => process.exit(0),
    (error: unknown) => exitWithError(describeError(error)),
  );
};
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
if (config.STOP_WITH_PARENT === '1') process.stdin.on('end', stop).on('error', stop).resume();

process.stdout.write(`${JSON.stringify({ ready: true, port: node.port })}\n`);
