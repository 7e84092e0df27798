import { randomUUID } from 'node:crypto';

const acceptable = /^[A-Za-z0-9._:/+=-]{1,128}$/;

/** The caller's X-Request-Id when it is fit to be echoed and logged, else a new one. */
export const requestIdOf = (sent: string | readonly string[] | undefined): string =>
  typeof sent === 'string' && acceptable.test(sent) ? sent : randomUUID();
