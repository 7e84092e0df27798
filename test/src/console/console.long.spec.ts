import { createServer } from 'node:net';
import type { Browser } from 'playwright-core';
import { type Service, startService } from '../support/service.ts';
import { suiteNeeding } from '../support/suite-needing.ts';
import { actions } from './actions.suite.ts';
import { appearance } from './appearance.suite.ts';
import { browserProgram, type Console, openBrowser } from './console.fixture.ts';
import { door } from './door.suite.ts';
import { keyboard } from './keyboard.suite.ts';
import { living } from './living.suite.ts';
import { seed } from './seeded.fixture.ts';
import { viewing } from './viewing.suite.ts';

/** Of a server that is to come back where it was. */
const freePort = async (): Promise<string> => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return String(port);
};

suiteNeeding('chromium', browserProgram !== undefined, 'the console', () => {
  let [service, browser]: [Service, Browser] = [undefined!, undefined!];
  let env: Record<string, string>;
  before(async function () {
    this.timeout(240_000);
    env = { OPS_PORT: await freePort() };
    [service, browser] = await Promise.all([startService({ env }), openBrowser()]);
    await seed(service);
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  const console = (): Console => ({
    browser,
    service,
    baseUrl: service.credentials.ops_base_url,
    token: service.credentials.operator_token,
    async restart(meanwhile) {
      await service.stop();
      await meanwhile();
      service = await startService({ env, dataDir: service.dataDir });
    },
  });
  for (const suite of [door, viewing, appearance, keyboard, actions, living]) suite(console);
});
