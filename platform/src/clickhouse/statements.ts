import { randomUUID } from 'node:crypto';
import type { ClickHouseClient } from '@clickhouse/client';
import { setSpanAttributes } from '../telemetry/index.ts';

export interface StatementOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  /** Statements of one session see its temporary tables; a restarted server has lost them and refuses. */
  readonly session?: string;
  readonly timeoutMs?: number;
  /** When it is aborted, the server ends the statement as well. */
  readonly signal?: AbortSignal;
}

const graceMs = 3_000;
const killMs = 5_000;
/** So often at least the server is heard of in the time for which it may be silent. */
const words = 4;

/** Under this name ClickHouse's own log has it. */
const named = (id: string): string => {
  setSpanAttributes(() => ({ 'clickhouse.query_id': id }));
  return id;
};

/** Statements as the client takes them; the server may take `timeoutMs` for one, and a connection be silent for `silenceMs`. */
export const statements =
  ({ timeoutMs: standardMs, silenceMs }: { readonly timeoutMs: number; readonly silenceMs: number }) =>
  (query: string, { params = {}, session, timeoutMs = standardMs, signal }: StatementOptions) => ({
    query,
    query_id: named(randomUUID()),
    query_params: { ...params },
    // A little later than the server, which says why.
    abort_signal: AbortSignal.any([AbortSignal.timeout(timeoutMs + graceMs), ...(signal ? [signal] : [])]),
    clickhouse_settings: {
      // The server goes on with a statement whose client left, unless it has a limit of its own.
      max_execution_time: Math.ceil(timeoutMs / 1_000),
      // What adds up all rows of a table answers at its end: until then its progress, in headers, says that it is at work.
      ...(timeoutMs + graceMs > silenceMs && {
        send_progress_in_http_headers: 1 as const,
        http_headers_progress_interval_ms: String(Math.ceil(silenceMs / words)),
      }),
    },
    ...(session !== undefined && { session_id: session }),
  });

/** Waits for a statement; once the signal is aborted it is ended in the server, which goes on when its client leaves. */
export const endingWith = async <T>(
  client: ClickHouseClient,
  { id, signal }: { readonly id: string; readonly signal: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T> => {
  signal?.throwIfAborted();
  let killing: Promise<unknown> | undefined;
  const kill = () => {
    killing = client
      .command({
        query: 'KILL QUERY WHERE query_id = {id:String} ASYNC',
        query_params: { id },
        abort_signal: AbortSignal.timeout(killMs),
      })
      .catch(() => undefined);
  };
  signal?.addEventListener('abort', kill, { once: true });
  try {
    return await work();
  } finally {
    signal?.removeEventListener('abort', kill);
    await killing;
  }
};
