import { dirname } from 'node:path';
import { compareClocks } from '@popsvc/cli/doctor';
import { findingTitle } from '@popsvc/contracts/diagnostics';
import { expect } from 'chai';
import { json, type ScriptedServer, scriptedServer } from '../client/scripted-server.fixture.ts';
import { popsvcInProcess, writeTemporaryFile } from './popsvc.fixture.ts';

describe('popsvc doctor: compareClocks', () => {
  const now = Date.UTC(2026, 7, 20, 14);
  const compare = (serverMs: number, durationMs: number) =>
    compareClocks(new Date(serverMs).toUTCString(), now, now + durationMs).map(({ found }) => found);

  it('tolerates slow responses, whenever the server wrote the time', () => {
    for (const at of [0, 1_000, 9_000, 18_000]) expect(compare(now + at, 18_000), `${at}`).to.deep.equal([]);
  });

  it('reports the difference between the clocks', () => {
    expect(compare(now + 60_000, 100)).to.deep.equal(['the operations server is 60 s ahead of this machine']);
    expect(compare(now - 61_000, 100)).to.deep.equal(['the operations server is 60 s behind this machine']);
    expect(compare(now + 4_000, 100)).to.deep.equal([]);
  });

  it('reports nothing without a Date header', () => {
    expect(compareClocks(null, now, now)).to.deep.equal([]);
  });
});

describe('popsvc doctor', () => {
  let server: ScriptedServer;
  afterEach(() => server.close());

  const titlesWith = async (status: number, body: object, env: Readonly<Record<string, string>>) => {
    server = await scriptedServer(() => json(status, body));
    const endpoints = { ops_base_url: server.url, event_store: '127.0.0.1:9' };
    const DATA_DIR = dirname(await writeTemporaryFile('endpoints.json', JSON.stringify(endpoints)));
    const { stdout } = await popsvcInProcess({ DATA_DIR, ...env })('doctor', '--json');
    return (JSON.parse(stdout) as { findings: Parameters<typeof findingTitle>[0][] }).findings.map(findingTitle);
  };
  const withToken = { POPSVC_OPERATOR_TOKEN: 'x' };
  const ownChecks = ['service operations server', 'event-store on this machine'];

  it('checks the engines of this machine if the operator token is unknown', async () => {
    expect(await titlesWith(200, {}, {})).to.deep.equal(ownChecks);
    expect(server.requests).to.deep.equal([]);
  });

  for (const status of [401, 404, 503])
    it(`checks the engines of this machine if the operations server responds ${status}`, async () => {
      expect(await titlesWith(status, {}, withToken)).to.deep.equal(ownChecks);
    });

  it('prints the advice for several findings in a row once, after the last of them', async () => {
    const [of, advice] = [
      { check: 'read-models', outcome: 'failed', problem: 'damaged', since: null },
      'Check the disk.',
    ];
    const findings = ['registry', 'coffee'].map((subject) => ({ ...of, subject, found: 'a table is missing', advice }));
    const diagnosis = { at: new Date().toISOString(), outcome: 'failed', findings };
    server = await scriptedServer(() => json(200, diagnosis));
    const DATA_DIR = dirname(await writeTemporaryFile('endpoints.json', JSON.stringify({ ops_base_url: server.url })));
    const { stdout } = await popsvcInProcess({ DATA_DIR, ...withToken })('doctor');
    const lines = stdout.trimEnd().split('\n');
    expect(lines.slice(1).map((line) => line.replaceAll(/ +/g, ' '))).to.deep.equal([
      'FAILED read-models registry a table is missing',
      'FAILED read-models coffee a table is missing',
      ' → Check the disk.',
    ]);
  });

  it('leaves the engines to an operations server that has checked them', async () => {
    const diagnosis = { at: new Date().toISOString(), outcome: 'ok', findings: [] };
    expect(await titlesWith(200, diagnosis, withToken)).to.deep.equal(['service operations server']);
  });
});
