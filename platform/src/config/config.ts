import { inspect } from 'node:util';
import { z } from 'zod';
import { logLevels } from '../telemetry/index.ts';

/** Wraps a secret value so that logs, JSON and error messages do not show it. `reveal()` returns the value. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

export const secret = (minLength = 1) =>
  z
    .string({ error: 'is not set' })
    .min(minLength, `is too short: it must have at least ${minLength} characters`)
    .transform((value) => new Secret(value));

const digits = z.string().regex(/^\d{1,15}$/, 'must be a whole number');

/** Creates the schema for a whole number, written in decimal digits. */
export const wholeNumber = (min: number, max: number) => digits.transform(Number).pipe(z.int().min(min).max(max));

/** Creates the schema for a port number with the default `standard`; 0 means any free port. */
export const port = (standard: number) => wholeNumber(0, 65_535).default(standard);

const isAddress = (protocols: readonly string[]) => (text: string) =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol);

/** Creates the schema for a URL. The URL may contain a password, so the parsed value is a Secret. */
const secretAddress = (...protocols: string[]) =>
  z
    .string({ error: 'is not set' })
    .refine(isAddress(protocols), `must be an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    .pipe(secret());

export const url = (...protocols: string[]) =>
  z
    .string({ error: 'is not set' })
    .refine(isAddress(protocols), `must be an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`);

export const databaseUrl = () => secretAddress('postgres:', 'postgresql:');
export const eventStoreUrl = () => secretAddress('esdb:', 'esdb+discover:', 'kurrentdb:', 'kurrentdb+discover:');
const eachIs = (protocols: readonly string[]) => (text: string) => text.split(',').every(isAddress(protocols));
/** Creates the schema for the URL of a NATS server, or for the comma-separated server URLs of a NATS cluster. */
export const natsUrl = () =>
  z
    .string()
    .refine(eachIs(['nats:', 'tls:']), 'must be addresses that begin with nats:// or tls://')
    .pipe(secret());
export const logLevel = () => z.enum(logLevels).default('info').describe('Lowest level that is logged.');

/** The environment variables are invalid. The message names every invalid variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Validates the environment against a schema. An empty variable counts as unset, because docker compose and shells pass an
 * unset variable as an empty string. Error messages contain names and reasons, but never values, because values may be secret.
 */
export const readConfig = <Schema extends z.ZodType>(schema: Schema, env: NodeJS.ProcessEnv): z.output<Schema> => {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const read = schema.safeParse(set);
  if (read.success) return read.data;
  const lines = read.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  throw new ConfigError(`The configuration is not usable:\n${lines.join('\n')}`);
};
