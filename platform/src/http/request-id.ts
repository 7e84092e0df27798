import { randomUUID } from 'node:crypto';

const acceptable = /^[A-Za-z0-9._:/+=-]{1,128}$/;

/** A credential of ours in the wrong header: it would be in every log, and with the events for ever. */
const credential = /_(?:sk|cs)_[\w-]{20}/;

/** The caller's X-Request-Id when it is fit to be echoed and logged, else a new one. */
export const requestIdOf = (sent: string | readonly string[] | undefined): string =>
  typeof sent === 'string' && acceptable.test(sent) && !credential.test(sent) ? sent : randomUUID();
