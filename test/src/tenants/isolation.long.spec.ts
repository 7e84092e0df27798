import { onlyShard } from '@popsvc/domain/partitioning';
import { startRevocationWatch } from '@popsvc/http-kit/auth';
import { Bound, type ClickHouseReader, Sql } from '@popsvc/platform/clickhouse';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { createQueryApi } from '@popsvc/query-api/service';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Attempt, attempts, describedPaths, nowhere } from './attempts.fixture.ts';
import { idOf, marksIn, unmarked } from './marks.ts';
import { type Caller, networkName, tenantsWorld, type TenantsWorld } from './tenants-world.fixture.ts';
import { secretSealer } from '../support/test-sealer.ts';

const runs = process.env['POPSVC_LONG'] === '1' ? 20_000 : 80;

/** The networks a response may contain: the one the request names, else the first of the credential, or all in lists. */
const scopeOf = ({ kind, networks }: Caller, { path, named }: Attempt): readonly number[] => {
  if (kind === 'key') return networks;
  if (path.startsWith('/popsvc')) return [];
  if (named !== undefined) return networks.filter((k) => sameName(networkName(k), named));
  return /coffee|watcher|metric/.test(path) ? networks.slice(0, 1) : networks;
};
const sameName = (name: string, header: string) =>
  decodeURIComponent(header).trim().toLowerCase() === name.trim().toLowerCase();

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: string;
}

describe('no response contains data of another network', function () {
  this.timeout(runs > 1_000 ? 3_600_000 : 180_000);
  let world: TenantsWorld;
  let urls: Readonly<Record<Attempt['server'], string>>;
  let paths: readonly (readonly [Attempt['server'], string])[];

  before(async () => {
    world = await tenantsWorld();
    urls = { query: world.service.queryUrl, ingest: world.service.ingestUrl };
    const [query, ingest] = await Promise.all([describedPaths(urls.query), describedPaths(urls.ingest)]);
    paths = [...query.map((path) => ['query', path] as const), ...ingest.map((path) => ['ingest', path] as const)];
  });
  after(() => world.service.close());

  const send = async (caller: Caller, attempt: Attempt, at = urls): Promise<Reply> => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(attempt.query))
      for (const each of [value].flat()) query.append(name, each);
    const url = attempt.path + (query.size > 0 ? `${attempt.path.includes('?') ? '&' : '?'}${query.toString()}` : '');
    const answer = await fetch(at[attempt.server] + url, {
      method: attempt.method,
      headers: {
        ...caller.headers,
        ...(attempt.body && { 'content-type': 'application/json' }),
        ...(attempt.named !== undefined && { 'x-network-name': attempt.named }),
      },
      body: attempt.body ? JSON.stringify(attempt.body) : null,
    });
    const text = Buffer.from(await answer.arrayBuffer()).toString('latin1');
    return { status: answer.status, text, headers: JSON.stringify([...answer.headers]) };
  };

  /** Marks in a response that neither belong to the caller's networks nor occur in its request. */
  const leaks = (caller: Caller, attempt: Attempt, { text, headers }: Reply): readonly string[] => {
    const mayKnow = scopeOf(caller, attempt);
    const said = decodeURIComponent(JSON.stringify(attempt).replaceAll('%', '%25')).toLowerCase();
    const saidDecoded = decodeURIComponent(attempt.path).toLowerCase();
    return marksIn(text + headers)
      .filter(({ network }) => world.networks.includes(network) && !mayKnow.includes(network))
      .map((mark) => mark.text.toLowerCase())
      .filter((mark) => !said.includes(mark) && !saidDecoded.includes(mark));
  };

  const requests = fc.record({
    who: fc.nat(100),
    where: fc.nat(1_000),
    about: fc.nat(100),
    seed: fc.integer(),
  });

  it('for any caller, route and parameters; foreign entities respond as if they did not exist', async () => {
    const statuses = new Map<string, Set<number>>();
    let [marked, compared] = [0, 0];
    await fc.assert(
      fc.asyncProperty(requests, async ({ who, where, about, seed }) => {
        const caller = world.callers[who % world.callers.length]!;
        const [server, path] = paths[where % paths.length]!;
        const k = world.networks[about % world.networks.length]!;
        const same = { seed, numRuns: 1 };
        const [attempt] = fc.sample(attempts(world, server, path, k), same);
        const reply = await send(caller, attempt!);
        expect(reply.status, reply.text).below(500);
        expect(leaks(caller, attempt!, reply), `${path} ${JSON.stringify(attempt)} ${reply.text}`).deep.equal([]);
        statuses.set(path, (statuses.get(path) ?? new Set()).add(reply.status));
        if (marksIn(reply.text).length > 0) marked++;
        if (scopeOf({ ...caller, kind: 'key' }, attempt!).includes(k) || /metrics$/.test(path)) return;
        const [unknown] = fc.sample(attempts(world, server, path, nowhere), same);
        const other = await send(caller, unknown!);
        // All callers share one address, whose limit of wrong credentials can lie between the two requests.
        if (reply.status === 429 || other.status === 429) return;
        expect([reply.status, unmarked(reply.text)], `${path} ${JSON.stringify(attempt)}`).deep.equal([
          other.status,
          unmarked(other.text),
        ]);
        compared++;
      }),
      { numRuns: runs, seed: 2026 },
    );
    expect(marked, 'responses with entities of the world').above(runs / 20);
    expect(compared, 'foreign entities compared with unknown ones').above(runs / 4);
    expect([...statuses.keys()].length, 'paths requested').above(20);
  });

  it('each network receives its own data', async () => {
    for (const caller of world.callers.filter(({ kind, networks: [k = 0] }) => kind === 'key' && k < 3)) {
      const [k = 0] = caller.networks;
      for (const [server, path] of paths.filter(([, each]) =>
        /coffee$|watcher|status|uptime|events\/\{|jobs/.test(each),
      )) {
        const replies = await Promise.all(
          fc.sample(attempts(world, server, path, k), { seed: 7, numRuns: 5 }).map((attempt) => send(caller, attempt)),
        );
        const good = replies.filter(({ status }) => status === 200).map(({ text }) => text);
        expect(good.length, `${path} of network ${k}`).above(0);
        if (!/jobs|start$/.test(path))
          expect(
            marksIn(good.join()).some(({ network }) => network === k),
            path,
          ).equal(true);
      }
    }
  });

  it('detects a query-api that confuses two networks', async () => {
    const { reader, postgres } = world.service;
    const swapped = (query: Sql): Sql =>
      /coffee|device/.test(query.texts.join())
        ? new Sql(
            query.texts.map((text) => text.replaceAll(/(?<=network_id = )\d+/g, (id) => String(swap(Number(id))))),
            query.values.map(({ type, value }) => new Bound(type, swap(value))),
          )
        : query;
    const leaky: ClickHouseReader = {
      ...reader,
      lines: (query, options) => reader.lines(swapped(query), options),
      rowBinary: (query, options) => reader.rowBinary(swapped(query), options),
      rows: (query, options) => reader.rows(swapped(query), options),
      stream: (query, format, options) => reader.stream(swapped(query), format, options),
    };
    const log = createLog('test', 'silent');
    const watch = await startRevocationWatch(postgres, { log });
    const leakyService = createQueryApi({
      shards: [{ shard: onlyShard, reader: leaky }],
      postgres,
      secretSealer,
      watch,
      log,
      metrics: createMetrics('test'),
    });
    const query = `http://127.0.0.1:${await leakyService.listen({ port: 0, host: '127.0.0.1' })}`;
    const caller = world.callers.find(({ kind, networks }) => kind === 'key' && networks[0] === 1)!;
    for (const path of [
      '/api/v1/coffee',
      '/api/v1/coffee/download',
      '/api/v1/devices/status',
      '/api/v1/devices/status/{id}',
    ]) {
      const found: string[] = [];
      for (const attempt of fc.sample(attempts(world, 'query', path, 1), { seed: 1, numRuns: 8 }))
        found.push(...leaks(caller, attempt, await send(caller, attempt, { ...urls, query })));
      expect(found.length, path).above(0);
    }
    await leakyService.close();
    watch.stop();
  });
});

/** Replaces ids of the first network by those of the second. */
const swap = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(swap);
  const [one, two] = [idOf(1), idOf(2)];
  return typeof value === 'number' && value >= one && value < two ? value + two - one : value;
};
