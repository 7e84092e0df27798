import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A server that responds as ClickHouse does. `respond` decides the response for each statement, except the check of the shard. */
export interface ScriptedReplica {
  readonly url: string;
  /** The statements that it received, without pings and checks of the shard. */
  readonly received: string[];
  /** Comment of its database, which says the shard. */
  comment: string;
  /** If true, it receives requests and never responds, as if the packets of its responses were dropped. */
  isSilent: boolean;
  /** Number of requests without a response because of `isSilent`. */
  unanswered: number;
  respond: (
    statement: string,
    settings: URLSearchParams,
  ) => { readonly status: number; readonly body: string; readonly code?: number };
  /** Closes its port and all connections. */
  stop(): Promise<void>;
}

export const rowsOf = (...rows: readonly object[]) => ({
  status: 200,
  body: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
});

/** Builds the response for an error of ClickHouse. */
export const errorOf = (code: number, type: string) => ({
  status: 500,
  code,
  body: `Code: ${code}. DB::Exception: it failed. (${type}) (version 26.7.2.1)`,
});

export const startScriptedReplica = async (respond: ScriptedReplica['respond']): Promise<ScriptedReplica> => {
  const received: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { searchParams } = new URL(request.url!, 'http://replica');
      const query = searchParams.get('query') ?? '';
      const statement = query === '' ? await text(request) : query;
      request.resume();
      const isShardCheck = statement.startsWith('SELECT comment FROM system.databases');
      if (statement !== "SELECT 'ping'" && !isShardCheck) received.push(statement);
      if (replica.isSilent) return void (replica.unanswered += 1);
      const { status, body, code } = isShardCheck
        ? { ...rowsOf({ comment: replica.comment }), code: undefined }
        : replica.respond(statement, searchParams);
      response
        .writeHead(status, {
          'X-ClickHouse-Exception-Tag': 'tag',
          ...(code !== undefined && { 'X-ClickHouse-Exception-Code': String(code) }),
        })
        .end(body);
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const replica: ScriptedReplica = {
    url: `http://127.0.0.1:${port}`,
    received,
    comment: '',
    isSilent: false,
    unanswered: 0,
    respond,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return replica;
};
