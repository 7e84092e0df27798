import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Testbed } from '../testbed/rig.ts';
import { get, type Replay, send } from './replay.ts';

const replayOf = async (heard: IncomingMessage, origin: string): Promise<Replay> => {
  const url = new URL(heard.url!, origin);
  // Two queries of one name may not run at a time.
  url.searchParams.delete('query_id');
  const ofTheConnection = ['host', 'connection'];
  const headers = Object.fromEntries(Object.entries(heard.headers).filter(([name]) => !ofTheConnection.includes(name)));
  return { url: url.href, method: heard.method!, headers, body: await buffer(heard) };
};

/**
 * What the reporting service asks ClickHouse about coffee for one request that it has answered before: the same text,
 * parameters, settings and user. It is overheard by a service of its own, between which and ClickHouse this process stands.
 */
export const overhear = async (
  rig: Testbed,
  pathAndQuery: string,
  headers: Replay['headers'],
): Promise<readonly Replay[]> => {
  const { url } = await rig.clickhouse();
  const heard: Replay[] = [];
  const between = createServer((incoming, outgoing) => {
    void replayOf(incoming, url).then((replay) => {
      if (/\bcoffee_(?:live|g\d+)\b/.test(replay.body.toString())) heard.push(replay);
      const passed = request(replay.url, { method: replay.method, headers: replay.headers }, (response) => {
        outgoing.writeHead(response.statusCode!, response.headers);
        response.pipe(outgoing);
      });
      passed.end(replay.body);
    });
  });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  const { port } = between.address() as AddressInfo;
  const through = new URL(url);
  through.port = String(port);
  const service = await rig.service('query-api', { CLICKHOUSE_URL: through.href });
  const asked = get(service.url + pathAndQuery, headers);
  await send(asked);
  heard.length = 0;
  await send(asked);
  await service.stop();
  between.close();
  between.closeAllConnections();
  if (heard.length === 0) throw new Error(`${pathAndQuery} asked ClickHouse nothing about coffee`);
  return heard;
};
