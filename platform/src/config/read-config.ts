import type { z } from 'zod';

/** The environment is not usable; the message names every variable that is wrong. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the whole environment once. An empty variable counts as unset, as docker compose and shells write it.
 * The message tells names and reasons, never values: they may be secrets.
 */
export const readConfig = <Schema extends z.ZodType>(schema: Schema, env: NodeJS.ProcessEnv): z.output<Schema> => {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const read = schema.safeParse(set);
  if (read.success) return read.data;
  const lines = read.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  throw new ConfigError(`The configuration is not usable:\n${lines.join('\n')}`);
};
