import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { temporaryFolder } from '@popsvc/tools/rig';
import { signingKey } from '../support/uploads.ts';
import { commandApiMain, operatorToken, startCommandApi } from './command-api-process.fixture.ts';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { play, popPath, sender } from './sender.fixture.ts';

const run = async (env: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, [commandApiMain], { env: { PATH: process.env['PATH'], ...env } });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
};

describe('command-api: the process', function () {
  let api: TestCommandApi;
  before(async () => {
    api = await commandApi();
  });
  after(() => api.close());

  it('exits with a message that names every invalid variable and shows no value', async () => {
    const { code, said } = await run({
      COMMAND_API_PORT: '70000',
      EVENTSTORE_URL: 'http://user:hidden@x',
      POPSVC_OPERATOR_TOKEN: 'hidden',
      MAX_EVENT_AGE_DAYS: '1.5',
    });
    expect(code).to.equal(1);
    for (const name of [
      'COMMAND_API_PORT',
      'EVENTSTORE_URL',
      'DATABASE_URL',
      'POPSVC_OPERATOR_TOKEN',
      'MAX_EVENT_AGE_DAYS',
    ])
      expect(said).to.include(name);
    expect(said).to.not.include('hidden');
  });

  it('says without a stack trace that PostgreSQL does not answer', async () => {
    const { code, said } = await run({
      EVENTSTORE_URL: api.node.url,
      DATABASE_URL: 'postgresql://popsvc:hidden@127.0.0.1:1/popsvc',
      POPSVC_OPERATOR_TOKEN: operatorToken,
      UPLOAD_SIGNING_KEY: signingKey,
      DATA_DIR: await temporaryFolder('uploads'),
    });
    expect(code).to.equal(1);
    expect(said).to.include('PostgreSQL (DATABASE_URL) does not answer: connect ECONNREFUSED 127.0.0.1:1. Start it');
    expect(said).to.not.include(' at ').and.not.include('hidden');
  });

  it('names a port that is in use and the variable that changes it', async () => {
    const other = createServer().listen(0);
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const { code, said } = await run({
      COMMAND_API_PORT: String(port),
      EVENTSTORE_URL: api.node.url,
      DATABASE_URL: api.databaseUrl,
      POPSVC_OPERATOR_TOKEN: operatorToken,
      UPLOAD_SIGNING_KEY: signingKey,
      DATA_DIR: await temporaryFolder('uploads'),
    });
    other.close();
    expect(code).to.equal(1);
    expect(said).to.include(String(port)).and.to.include('COMMAND_API_PORT');
  });

  it('answers a request in flight before it stops', async () => {
    const service = await startCommandApi(api.node.url, api.databaseUrl);
    const { apiKey } = await api.newKey();
    const send = sender(service.baseUrl, apiKey);
    expect((await send(popPath, { events: [play()] })).status).to.equal(202);
    const events = Array.from({ length: 1_000 }, () => play());
    const last = send(popPath, { events }).catch((error: unknown) => error as Error);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await service.stop();
    const reply = await last;
    if (!(reply instanceof Error)) expect(reply.status).to.be.oneOf([202, 503]);
    expect(await service.part.ended).to.deep.equal({ requested: true });
  });

  it('serves metrics to this machine, and to others only with the operator token', async () => {
    const service = await startCommandApi(api.node.url, api.databaseUrl);
    try {
      const { apiKey } = await api.newKey();
      await sender(service.baseUrl, apiKey)(popPath, { events: [play(), play()] });
      const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
      expect(metrics).to.match(/popsvc_intake_events_accepted_total\{.*kind="pop".*\} 2/);
      expect(metrics).to.match(/append_seconds_count\{.*outcome="stored".*\} 1/);
      const proxied = { 'X-Forwarded-For': '203.0.113.9' };
      expect((await fetch(`${service.baseUrl}/metrics`, { headers: proxied })).status).to.equal(401);
      const operator = { ...proxied, Authorization: `Bearer ${operatorToken}` };
      expect((await fetch(`${service.baseUrl}/metrics`, { headers: operator })).status).to.equal(200);
      const wrongToken = { ...proxied, Authorization: `Bearer ${operatorToken}x` };
      expect((await fetch(`${service.baseUrl}/metrics`, { headers: wrongToken })).status).to.equal(401);
    } finally {
      await service.stop();
    }
  });
});
