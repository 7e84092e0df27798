import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Browser } from 'playwright-core';
import { type Service, startService } from '@popsvc/tools/rig';
import { describeIfInstalled } from '../support/required-binary.ts';
import { actions } from './actions.suite.ts';
import { appearance } from './appearance.suite.ts';
import { browserProgram, type Console, openBrowser } from './console.fixture.ts';
import { door } from './door.suite.ts';
import { keyboard } from './keyboard.suite.ts';
import { living } from './living.suite.ts';
import { seed } from './seeded.fixture.ts';
import { viewing } from './viewing.suite.ts';

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  const free = await Promise.race([
    once(server, 'listening').then(() => true),
    new Promise<boolean>((resolve) => server.once('error', () => resolve(false))),
  ]);
  await new Promise((resolve) => server.close(resolve));
  return free;
};

/** Of a server that is to come back where it was: below those that are given to whoever asks for any. */
const freePort = async (): Promise<string> => {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    if (await isFree(port)) return String(port);
  }
};

describeIfInstalled('chromium', browserProgram !== undefined, 'the console', () => {
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
    async restart(meanwhile, token) {
      await service.stop();
      await meanwhile();
      const more = token === undefined ? {} : { POPSVC_OPERATOR_TOKEN: token };
      service = await startService({ env: { ...env, ...more }, dataDir: service.dataDir });
    },
  });
  for (const suite of [door, viewing, appearance, keyboard, actions, living]) suite(console);
});
