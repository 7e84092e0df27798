import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { standardOutput } from './standard-output.ts';

export type Log = Logger;
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Fields that never reach a log, wherever an object carries them (two levels deep). */
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
const paths = [
  ...secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
  ...secretHeaders.flatMap((field) => [field, `*${field}`, `*.*${field}`]),
];

/** Addresses without their query (it may be signed) and without user and password. */
const address = (url: unknown): unknown =>
  typeof url === 'string' ? url.replace(/\?.*$/s, '?…').replace(/\/\/[^/@]*@/, '//…@') : url;

/** JSON lines on standard output. */
export const createLog = (name: string, level: LogLevel = 'info', to?: DestinationStream): Log =>
  pino(
    {
      name,
      level,
      redact: { paths, censor: '[redacted]' },
      serializers: { err: stdSerializers.errWithCause, error: stdSerializers.errWithCause, url: address },
    },
    to ?? standardOutput(),
  );
