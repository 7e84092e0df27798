import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { availableParallelism } from 'node:os';
import { type Asked, readAsked } from './gate-query.ts';
import { passOn, say } from './pass-on.ts';
import { type QueryLimiter, createQueryLimiter } from './turns.ts';

export interface GateOptions {
  readonly enginePort: number;
  readonly secret: string;
  /** Who may come in. */
  readonly analysts: ReadonlySet<string>;
}

/** Reports are read from the same cores; who waits longer than most queries may take is told to come back. */
const standardTurns = { most: Math.max(1, Math.floor(availableParallelism() / 2)), patienceMs: 30_000 };

/** What is answered here, without asking the engine. */
interface Said {
  readonly status: number;
  readonly message: string;
}

/** Analysts ask; they send nothing that is long. */
const maxBodyBytes = 1024 * 1024;

const bodyOf = async (incoming: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Asks when it is the turn of who asks. */
const ask = async (
  asked: Asked,
  incoming: IncomingMessage,
  response: ServerResponse,
  options: GateOptions & { readonly turns: QueryLimiter },
): Promise<void> => {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const end = await options.turns.acquire(asked.user, gone.signal);
  if (response.destroyed) end?.();
  else if (!end) say(response, 503, 'Too many queries of analysts run; try again.');
  else passOn(asked, incoming, response.once('close', end), options);
};

const answered = async (incoming: IncomingMessage, analysts: GateOptions['analysts']): Promise<Asked | Said> => {
  const { method = '', url = '/', headers } = incoming;
  if (url === '/ping') return { status: 200, message: 'Ok.' };
  if (!['GET', 'POST'].includes(method)) return { status: 405, message: 'Ask by GET or POST.' };
  const body = await bodyOf(incoming);
  if (!body) return { status: 413, message: 'A query has at most 1 MiB.' };
  return readAsked({ url, headers, body }, analysts);
};

const serve = async (
  incoming: IncomingMessage,
  response: ServerResponse,
  options: GateOptions & { readonly turns: QueryLimiter },
): Promise<void> => {
  const found = await answered(incoming, options.analysts);
  if ('status' in found) say(response, found.status, found.message);
  else await ask(found, incoming, response, options);
};

/** Where analysts come in on one machine: what must not reach the engine is refused here, since the engine would do it. */
export const createGate = (options: GateOptions): Server => {
  const given = { ...options, turns: createQueryLimiter(standardTurns) };
  return createServer((incoming, response) => {
    serve(incoming, response, given).catch(() => response.destroy());
  });
};
