import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, findingTitle } from '@popsvc/contracts/diagnostics';
import { expect } from 'chai';
import {
  createPopsvcCommand,
  type CommandResult,
  type Service,
  startService,
  temporaryFolder,
  waitUntil,
} from '@popsvc/tools/rig';
import { type MetricDescription, processMetrics, listSeriesNames } from '@popsvc/tools/reference-pages';
import { type TestCollector, startTestCollector, type ReceivedSpan } from '../support/collector.ts';
import { secretTests } from '../tokens/logs.suite.ts';

interface DoctorReport {
  readonly outcome: string;
  readonly findings: readonly Finding[];
}

/** Metrics of Node.js itself. */
const nodeMetrics = /^(process|nodejs)_/;

/** Names, types and help texts in the text format, from `# HELP` and `# TYPE`. */
const declaredIn = (text: string): ReadonlyMap<string, Pick<MetricDescription, 'type' | 'help'>> => {
  const helps = new Map([...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = '', help = '']) => [name, help]));
  return new Map(
    [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)]
      .filter(([, name = '']) => !nodeMetrics.test(name))
      .map(([, name = '', type = '']) => [name, { type, help: helps.get(name) ?? '' }]),
  );
};

describe('the observability of a running service', function () {
  let service: Service;
  let traces: TestCollector;
  const lines: string[] = [];
  before(async () => {
    traces = await startTestCollector();
    service = await startService({ env: { LOG_LEVEL: 'trace', ...traces.env }, onLog: (line) => lines.push(line) });
  });
  after(async () => {
    await service.stop();
    await traces.stop();
  });

  const addressOf = (process: string): string =>
    ({
      'command-api': service.endpoints.ingest_base_url,
      worker: service.endpoints.worker_base_url,
      projectors: service.endpoints.ops_base_url,
      'query-api': service.endpoints.query_base_url,
    })[process]!;
  const scrape = async (process: string) => (await fetch(`${addressOf(process)}/metrics`)).text();

  for (const [process, own] of Object.entries(processMetrics))
    it(`${process} exposes exactly the metrics of docs/reference/metrics.md`, async () => {
      // A check of PostgreSQL fails if it takes too long on a slow machine.
      const text = await waitUntil(
        () => scrape(process),
        (seen) => /^popsvc_dependency_up\{dependency="postgresql",service="[a-z-]+"\} 1$/m.test(seen),
      );
      const declared = declaredIn(text);
      // The relay counts only with NATS.
      const expected = own.filter(({ name }) => name !== 'popsvc_relayed_events_total');
      expect([...declared.keys()]).to.have.members(expected.map(({ name }) => name));
      for (const { name, type, help } of expected) expect(declared.get(name)).to.deep.equal({ type, help });
      const labels = new Map(own.flatMap((figure) => listSeriesNames(figure).map((series) => [series, figure.labels])));
      for (const [, series = '', written = ''] of text.matchAll(/^(popsvc_\w+)\{(.*)\} \S+$/gm)) {
        const names = [...written.matchAll(/(\w+)="/g)].map(([, name]) => name);
        expect(['service', 'le', ...(labels.get(series) ?? [])], series).to.include.members(names);
      }
      expect(text)
        .to.match(/^process_resident_memory_bytes/m)
        .and.to.match(/^nodejs_eventloop_lag_p99_seconds/m);
    });

  it('the projectors expose metrics of the stores', async () => {
    const value = (text: string, name: string) => Number(new RegExp(`^${name}\\{.*\\} (\\S+)$`, 'm').exec(text)?.[1]);
    const text = await waitUntil(
      () => scrape('projectors'),
      (seen) => value(seen, 'popsvc_freshness_seconds') >= 0 && value(seen, 'popsvc_clickhouse_rows') > 0,
    );
    expect(value(text, 'popsvc_freshness_seconds')).to.be.below(30);
    expect(value(text, 'popsvc_leases_held')).to.be.greaterThan(5);
    expect(value(text, 'popsvc_clickhouse_disk_free_bytes')).to.be.greaterThan(0);
    expect(value(text, 'popsvc_database_bytes')).to.be.greaterThan(1e6);
    expect(text).to.match(/^popsvc_parked_events\{projection="coffee",service="projectors"\} 0$/m);
    expect(text).to.match(
      /^popsvc_projection_lag_events\{projection="coffee",generation="1",partition="0",service="projectors"\} \d+$/m,
    );
  });

  it('traces a play from the request to the log, the tables and the event status', async () => {
    const { api_key, ingest_base_url } = service.credentials;
    const traceId = 'abcdef'.padEnd(32, '1');
    const headers = { 'x-api-key': api_key, 'content-type': 'application/json' };
    const caller = '2'.repeat(16);
    const eventStatus = 'GET /popsvc/v1/pop/events/:eventId';
    const isWithin = (seen: readonly ReceivedSpan[], service: string, name: string) =>
      seen.some(
        (span) =>
          span.service === service && span.name === name && seen.some(({ spanId }) => spanId === span.parentSpanId),
      );
    const playedAt = new Date().toISOString();
    const play = {
      screenId: 'demo-screen-1',
      campaignId: 'DEMO-1',
      creativeId: 'DEMO-CR-1',
      playedAt,
      durationMs: 1000,
    };
    await fetch(`${ingest_base_url}/popsvc/v1/pop/events`, {
      method: 'POST',
      headers: { ...headers, traceparent: `00-${traceId}-${caller}-01` },
      body: JSON.stringify({ events: [{ eventId: 'traced', ...play }] }),
    });
    const spans = await waitUntil(
      async () => {
        // The ingestion server forwards this request to the reporting server.
        await fetch(`${ingest_base_url}/popsvc/v1/pop/events/traced`, { headers });
        return traces.spans();
      },
      // Each process sends ended spans, so a span may arrive before its parent.
      (seen) =>
        seen.some(({ name, links }) => name === 'project coffee' && links.includes(traceId)) &&
        isWithin(seen, 'popsvc-command-api', 'eventstoredb append') &&
        isWithin(seen, 'popsvc-query-api', eventStatus),
    );
    const of = (service: string, name: string) =>
      spans.filter((span) => span.service === service && span.name === name);
    const parentOf = ({ parentSpanId }: ReceivedSpan) => spans.find(({ spanId }) => spanId === parentSpanId)?.name;
    const [request] = of('popsvc-command-api', 'POST /popsvc/v1/pop/events').filter((span) => span.traceId === traceId);
    expect(request).to.include({ kind: 2, parentSpanId: caller });
    const [append] = of('popsvc-command-api', 'eventstoredb append').filter((span) => span.traceId === traceId);
    expect(parentOf(append!)).to.equal('append group');
    expect(append!.attributes['db.operation.batch.size']).to.equal(1);
    const batch = of('popsvc-projectors', 'project coffee').find(({ links }) => links.includes(traceId))!;
    expect(batch.attributes).to.include({ 'popsvc.projection': 'coffee', 'popsvc.generation': 1 });
    expect(Number(batch.attributes['popsvc.rows'])).to.be.above(0);
    const within = spans.filter(({ parentSpanId }) => parentSpanId === batch.spanId).map(({ name }) => name);
    expect(within).to.include.members(['clickhouse INSERT', 'postgresql UPDATE']);
    expect(of('popsvc-query-api', eventStatus).map(parentOf)).to.include('GET query-api');
    expect(of('popsvc-query-api', 'clickhouse page').map(parentOf)).to.include(eventStatus);
  });

  const parseReport = ({ stdout }: CommandResult) => JSON.parse(stdout) as DoctorReport;
  const failedOf = ({ findings }: DoctorReport) =>
    findings.filter(({ outcome }) => outcome === 'failed').map(findingTitle);

  it('doctor reports only successful checks and exits with 0', async () => {
    const popsvc = createPopsvcCommand({ DATA_DIR: service.dataDir });
    const healthy = await waitUntil(
      () => popsvc('doctor', '--json'),
      ({ code }) => code === 0,
    );
    const { findings } = parseReport(healthy);
    const checks = findings.map(findingTitle);
    expect(checks).to.include.members([
      'service operations server',
      'event-store',
      'projection coffee',
      'service worker',
      'service query-api',
    ]);
    expect(findings.filter(({ outcome }) => outcome !== 'ok')).to.deep.equal([]);
    const { stdout, stderr } = await popsvc('doctor');
    expect(stdout).to.match(/^ok {7}service operations server +answers at http/);
    expect(stderr).to.equal('');
  });

  it('doctor distinguishes a wrong token, a wrong address and a missing one, and exits with 1', async () => {
    const { ops_base_url } = service.endpoints;
    const wrongToken = await createPopsvcCommand({
      POPSVC_OPS_URL: ops_base_url,
      POPSVC_OPERATOR_TOKEN: 'x'.repeat(20),
    })('doctor');
    expect(wrongToken.code).to.equal(1);
    expect(wrongToken.stdout).to.match(
      /FAILED +service operations server +answers at .* and rejects the operator token\n.*POPSVC_OPERATOR_TOKEN/,
    );
    expect(wrongToken.stderr).to.match(/1 of 1 checks failed/);
    const nowhere = await createPopsvcCommand({ POPSVC_OPS_URL: 'http://127.0.0.1:1', POPSVC_OPERATOR_TOKEN: 'x' })(
      'doctor',
      '--json',
    );
    expect([nowhere.code, failedOf(parseReport(nowhere))]).to.deep.equal([1, ['service operations server']]);
    const withoutServer = await createPopsvcCommand({})('doctor');
    expect(withoutServer.code).to.equal(1);
    expect(withoutServer.stdout).to.include('POPSVC_OPS_URL');
    const notOps = await createPopsvcCommand({
      POPSVC_OPS_URL: service.endpoints.query_base_url,
      POPSVC_OPERATOR_TOKEN: 'x',
    })('doctor');
    expect(notOps.stdout).to.include('has no doctor');
  });

  secretTests(() => ({ service, traces, lines }));

  describe('that is stopped', () => {
    it('doctor checks the engines itself when no server answers', async () => {
      // The files with the addresses stay after the service has ended.
      const dataDir = await temporaryFolder('stopped-service');
      for (const name of ['endpoints.json', 'demo-credentials.json'])
        writeFileSync(join(dataDir, name), readFileSync(join(service.dataDir, name)));
      await service.stop();
      const popsvc = createPopsvcCommand({ DATA_DIR: dataDir });
      const stopped = parseReport(await popsvc('doctor', '--json'));
      expect(failedOf(stopped)).to.include.members([
        'service operations server',
        'event-store on this machine',
        'clickhouse on this machine',
        'service query-api from here',
      ]);
      expect((await popsvc('doctor')).stdout).to.match(/nothing listens at 127\.0\.0\.1:\d+: ECONNREFUSED/);
    });
  });
});
