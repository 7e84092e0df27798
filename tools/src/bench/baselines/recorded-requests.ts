import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { countLineEnds } from '../../rig/clients.ts';
import type { Rig } from '../testbed/testbed.ts';

/** A recorded HTTP request that the benchmark can send repeatedly. */
export interface RecordedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

interface Received {
  readonly bytes: number;
  /** Number of line breaks in the response body; 0 if `countLines` is false. */
  readonly lines: number;
  readonly firstByteMs: number;
}

const agent = new Agent({ keepAlive: true });

/** Sends a request and reads the whole response; throws on any status other than 200. */
export const sendRequest = ({ url, method, headers, body }: RecordedRequest, countLines = false): Promise<Received> =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const sent = request(url, { method, headers, agent }, (response) => {
      let bytes = 0;
      let lines = 0;
      let firstByteMs = 0;
      response.on('data', (chunk: Buffer) => {
        if (bytes === 0) firstByteMs = performance.now() - began;
        bytes += chunk.length;
        if (countLines) lines += countLineEnds(chunk);
      });
      response.once('end', () => {
        if (response.statusCode === 200) resolve({ bytes, lines, firstByteMs });
        else reject(new Error(`${new URL(url).pathname} returned ${response.statusCode}`));
      });
      response.once('error', reject);
    });
    sent.once('error', reject).end(body);
  });

export const getRequest = (url: string, headers: RecordedRequest['headers']): RecordedRequest => ({
  url,
  method: 'GET',
  headers,
  body: Buffer.alloc(0),
});

const recordRequest = async (incoming: IncomingMessage, origin: string): Promise<RecordedRequest> => {
  const url = new URL(incoming.url!, origin);
  // Removes the query id, because ClickHouse rejects a query that has the same id as a running query.
  url.searchParams.delete('query_id');
  const connectionHeaders = ['host', 'connection'];
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).filter(([name]) => !connectionHeaders.includes(name)),
  );
  return { url: url.href, method: incoming.method!, headers, body: await buffer(incoming) };
};

/**
 * Records the ClickHouse queries that query-api sends to read `coffee` for one report, including their parameters, settings and
 * user. Starts a separate query-api whose ClickHouse URL points to a recording proxy in this process. Requests the report twice and
 * keeps only the queries of the second request, when the caches are warm.
 */
export const recordRequests = async (
  rig: Rig,
  pathAndQuery: string,
  headers: RecordedRequest['headers'],
): Promise<readonly RecordedRequest[]> => {
  const { url } = await rig.clickhouse();
  const recorded: RecordedRequest[] = [];
  const proxy = createServer((incoming, outgoing) => {
    void recordRequest(incoming, url).then((recordedRequest) => {
      if (/\bcoffee_(?:live|g\d+)\b/.test(recordedRequest.body.toString())) recorded.push(recordedRequest);
      const forwarded = request(
        recordedRequest.url,
        { method: recordedRequest.method, headers: recordedRequest.headers },
        (response) => {
          outgoing.writeHead(response.statusCode!, response.headers);
          response.pipe(outgoing);
        },
      );
      forwarded.end(recordedRequest.body);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const proxyUrl = new URL(url);
  proxyUrl.port = String(port);
  const service = await rig.service('query-api', { CLICKHOUSE_URL: proxyUrl.href });
  const pageRequest = getRequest(service.url + pathAndQuery, headers);
  await sendRequest(pageRequest);
  recorded.length = 0;
  await sendRequest(pageRequest);
  await service.stop();
  proxy.close();
  proxy.closeAllConnections();
  if (recorded.length === 0) throw new Error(`query-api sent no query on coffee to ClickHouse for ${pathAndQuery}`);
  return recorded;
};
