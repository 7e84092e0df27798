import { execFileSync } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@popsvc/contracts/errors';
import { choosePort } from '@popsvc/embedded/supervisor';
import { jsonResponse } from '@popsvc/http-kit/server';
import { createLog, isTracingEnabled, runInSpan, startTracing } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { get, serve, type TestServer } from '../http/server.fixture.ts';
import { startTestCollector, type TestCollector } from '../support/collector.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { sendingTo } from './tracing.fixture.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';
const innerSpan = () => ({ name: 'inner', kind: 'client', attributes: { size: 3 } }) as const;

describe('traces', () => {
  let server: TestServer;
  let to: TestCollector;
  before(async () => {
    server = await serve([
      get('/things/:id', async ({ log }) => {
        log.info('handled');
        return jsonResponse(200, await runInSpan(innerSpan, () => Promise.resolve({ all: true })));
      }),
      get('/broken', () => runInSpan(innerSpan, () => Promise.reject(new TypeError('password=hidden')))),
      get('/refused', () => {
        throw new ApiError('NOT_FOUND');
      }),
    ]);
  });
  beforeEach(async () => {
    to = await startTestCollector();
  });
  afterEach(() => to.stop());
  after(() => server.server.close());

  const ask = (path: string, headers: Record<string, string> = {}) => fetch(server.baseUrl + path, { headers });

  it('are off, without loading OpenTelemetry, unless a collector is configured', async () => {
    const script = `
      const { createRequire } = await import('node:module');
      const { startTracing, runInSpan, isTracingEnabled } = await import('@popsvc/platform/telemetry');
      const env = process.env.TO ? { OTEL_EXPORTER_OTLP_ENDPOINT: process.env.TO } : {};
      const stop = await startTracing('test', env, undefined);
      const done = await runInSpan(() => ({ name: 'a', kind: 'internal', parent: 'new', attributes: {} }), async () => 7);
      const loaded = Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('opentelemetry/sdk-trace'));
      process.stdout.write(JSON.stringify([isTracingEnabled(), done, loaded]));
      process.exit();`;
    const run = (env: Record<string, string>) =>
      JSON.parse(
        execFileSync(process.execPath, ['--input-type=module', '-e', script], {
          env: { PATH: process.env['PATH'], ...env },
          cwd: import.meta.dirname,
          encoding: 'utf8',
        }),
      ) as unknown;
    expect(run({})).to.deep.equal([false, 7, false]);
    expect(run({ TO: to.url })).to.deep.equal([true, 7, true]);
    const stop = await startTracing('test', {}, createLog('test', 'silent'));
    expect(isTracingEnabled()).to.equal(false);
    await stop();
  });

  it("continue the caller's trace with route and status, and contain no request or error content", async () => {
    const traceparent = `00-${trace}-${parent}-01`;
    await sendingTo(to, async () => {
      await ask('/things/secret-1?token=secret-2', {
        traceparent,
        tracestate: 'a=secret-3',
        authorization: 'secret-4',
      });
      expect((await ask('/broken', { traceparent })).status).to.equal(500);
      expect((await ask('/refused', { traceparent })).status).to.equal(404);
    });
    const spans = to.spans();
    const named = (name: string) => spans.filter((span) => span.name === name);
    expect(new Set(spans.map(({ traceId }) => traceId))).to.deep.equal(new Set([trace]));
    const [request] = named('GET /things/:id');
    expect(request).to.include({ service: 'popsvc-test', parentSpanId: parent, kind: 2, status: 0 });
    expect(request!.attributes).to.include({
      'http.request.method': 'GET',
      'http.route': '/things/:id',
      'http.response.status_code': 200,
    });
    const [inner, failed] = named('inner');
    expect(inner).to.deep.include({ parentSpanId: request!.spanId, kind: 3, attributes: { size: 3 } });
    const [broken] = named('GET /broken');
    expect(failed).to.include({ parentSpanId: broken!.spanId, status: 2 });
    expect([failed!.attributes['error.type'], broken!.attributes['error.type']]).to.deep.equal(['TypeError', '500']);
    expect(named('GET /refused')[0]).to.include({ status: 0 });
    expect(to.received()).to.not.match(/secret-|hidden/);
    expect(server.logged.find((line) => line.includes('"handled"'))).to.include(`"trace_id":"${trace}"`);
  });

  it('start a new trace without a valid trace context, and leave out probes and unknown paths', async () => {
    const odd = ['', 'x', `00-${'0'.repeat(32)}-${parent}-01`, `00-${trace}-${parent}`, `01-${trace}-${parent}-01`];
    await sendingTo(to, async () => {
      for (const traceparent of odd) await ask('/things/1', { traceparent });
      for (const path of ['/healthz', '/readyz', '/metrics', '/nowhere']) await ask(path);
    });
    const requests = to.spans().filter(({ kind }) => kind === 2);
    expect(requests.map(({ name }) => name)).to.deep.equal(odd.map(() => 'GET /things/:id'));
    expect(new Set(requests.map(({ traceId }) => traceId)).size).to.equal(odd.length);
    for (const { traceId, parentSpanId } of requests)
      expect([traceId === trace, parentSpanId]).to.deep.equal([false, '']);
  });

  it('are not exported if the caller or the sampler decides against it', async () => {
    await sendingTo(to, () => ask('/things/1', { traceparent: `00-${trace}-${parent}-00` }));
    const never = { env: { ...to.env, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' } };
    await sendingTo(never, () => ask('/things/1'));
    expect(to.spans()).to.deep.equal([]);
    await sendingTo(never, () => ask('/things/1', { traceparent: `00-${trace}-${parent}-01` }));
    expect(to.spans().length).to.equal(2);
  });

  it('have the service name and attributes of the environment', async () => {
    const env = { ...to.env, OTEL_SERVICE_NAME: 'ours', OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod' };
    await sendingTo({ env }, () => ask('/things/1'));
    expect(to.spans().map(({ service }) => service)).to.deep.equal(['ours', 'ours']);
    expect(to.received()).to.include('deployment.environment.name');
  });

  /** Starts a server that accepts connections and never answers. */
  const startDeafServer = async (port: number) => {
    const sockets: Socket[] = [];
    const deaf = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => deaf.listen(port, '127.0.0.1', resolve));
    const close = () => {
      deaf.close();
      for (const socket of sockets) socket.destroy();
    };
    return { sockets, close };
  };
  const at = (port: number) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });

  it('delay neither a request nor the end of the process while an export waits for the collector', async () => {
    const port = await choosePort(0, 'OTEL_PORT');
    const deaf = await startDeafServer(port);
    const lines: string[] = [];
    const log = createLog('test', 'info', { write: (line: string) => void lines.push(line) });
    // Longer than the test may take.
    const env = { ...at(port), OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_EXPORTER_OTLP_TIMEOUT: '600000' };
    const work = async () => {
      await waitUntil(
        async () => ((await ask('/things/1')).status === 200 ? deaf.sockets.length : 0),
        (connections) => connections > 0,
      );
      for (let round = 0; round < 10; round += 1) expect((await ask('/things/1')).status).to.equal(200);
      // The export has not ended, or its failure would be logged.
      expect(lines).to.deep.equal([]);
    };
    await sendingTo({ env }, work, log, 500).finally(() => deaf.close());
  });

  for (const [what, listens] of [
    ['is not running', false],
    ['accepts connections and never answers', true],
  ] as const)
    it(`log once that the collector ${what}, and its recovery`, async () => {
      const port = await choosePort(0, 'OTEL_PORT');
      const deaf = listens ? await startDeafServer(port) : undefined;
      const lines: string[] = [];
      const log = createLog('test', 'info', { write: (line: string) => void lines.push(line) });
      const env = { ...at(port), OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_EXPORTER_OTLP_TIMEOUT: '500' };
      const logged = (count: number) =>
        waitUntil(
          async () => ((await ask('/things/1')).status === 200 ? lines.length : 0),
          (seen) => seen >= count,
        );
      const work = async () => {
        await logged(1);
        for (let round = 0; round < 10; round += 1) {
          await ask('/things/1');
          await sleep(20);
        }
        deaf?.close();
        await to.stop();
        to = await startTestCollector(port);
        await logged(2);
        await to.stop();
      };
      await sendingTo({ env }, work, log);
      expect(lines[0]).to.match(/"level":40.*failed to export spans/);
      expect(lines[1]).to.match(/"level":30.*span export recovered/);
    });
});
