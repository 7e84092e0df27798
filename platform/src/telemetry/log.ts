import sonicBoom from 'sonic-boom';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

/** Writes are asynchronous, so that a slow reader of the log does not delay requests. */
interface StandardOutput {
  write(line: string): void;
  /** Resolves when everything is written, after a write error, or after two seconds. */
  written(): Promise<void>;
}

const flushTimeoutMs = 2_000;

/**
 * The destination of pino is not used: it flushes synchronously when the process exits, and retries forever if nothing reads the output.
 */
const openStandardOutput = (): StandardOutput => {
  const stream = new sonicBoom.SonicBoom({ fd: 1, sync: false });
  let state: 'idle' | 'writing' | 'broken' = 'idle';
  stream.on('drain', () => (state = 'idle'));
  stream.on('error', () => (state = 'broken'));
  return {
    write(line) {
      if (state === 'broken') return;
      state = 'writing';
      stream.write(line);
    },
    written: () =>
      new Promise((resolve) => {
        if (state !== 'writing') resolve();
        stream.once('drain', resolve).once('error', () => {
          resolve();
        });
        setTimeout(resolve, flushTimeoutMs).unref();
      }),
  };
};

let opened: StandardOutput | undefined;

export const standardOutput = (): StandardOutput => (opened ??= openStandardOutput());

export type Log = Logger;
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const secretFields = [
  'authorization',
  'cookie',
  'password',
  'apiKey',
  'api_key',
  'client_secret',
  'access_token',
  'operatorToken',
  'operator_token',
];
const secretHeaders = ['["x-api-key"]', '["set-cookie"]', '["proxy-authorization"]'];
const redactedPaths = [
  ...secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
  ...secretHeaders.flatMap((field) => [field, `*${field}`, `*.*${field}`]),
];

/** The query may contain a signature, and the part before the host a password. */
const redactUrl = (url: unknown): unknown =>
  typeof url === 'string' ? url.replace(/\?.*$/s, '?…').replace(/\/\/[^/@]*@/, '//…@') : url;

export const createLog = (name: string, level: LogLevel = 'info', to?: DestinationStream): Log =>
  pino(
    {
      name,
      level,
      redact: { paths: redactedPaths, censor: '[redacted]' },
      serializers: { err: stdSerializers.errWithCause, error: stdSerializers.errWithCause, url: redactUrl },
    },
    to ?? standardOutput(),
  );
