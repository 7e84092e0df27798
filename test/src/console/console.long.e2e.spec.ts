import { choosePort } from '@popsvc/embedded/supervisor';
import type { Browser } from 'playwright-core';
import { type Service, startService } from '@popsvc/tools/rig';
import { describeIfInstalled } from '../support/run-conditions.ts';
import { actionsSuite } from './actions.suite.ts';
import { appearanceSuite } from './appearance.suite.ts';
import { chromiumPath, type ConsoleSystem, launchBrowser } from './console.fixture.ts';
import { keyboardSuite } from './keyboard.suite.ts';
import { liveUpdatesSuite } from './live-updates.suite.ts';
import { seed } from './seed.fixture.ts';
import { sessionSuite } from './session.suite.ts';
import { viewsSuite } from './views.suite.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.fixture.ts';

describeIfInstalled('chromium', chromiumPath !== undefined, 'the console', () => {
  let service: Service;
  let browser: Browser;
  let receiver: Receiver;
  let env: Record<string, string>;
  before(async function () {
    this.timeout(240_000);
    env = { OPS_PORT: String(await choosePort(0, 'OPS_PORT')), WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };
    [service, browser, receiver] = await Promise.all([startService({ env }), launchBrowser(), startReceiver()]);
    await seed(service, receiver.url);
  });
  after(async () => {
    await browser.close();
    await service.stop();
    receiver.close();
  });

  const system = (): ConsoleSystem => ({
    browser,
    service,
    receiver,
    baseUrl: service.credentials.ops_base_url,
    token: service.credentials.operator_token,
    async restart(whileStopped, token) {
      await service.stop();
      await whileStopped();
      const tokenEnv = token === undefined ? {} : { POPSVC_OPERATOR_TOKEN: token };
      service = await startService({ env: { ...env, ...tokenEnv }, dataDir: service.dataDir });
    },
  });
  for (const declareSuite of [sessionSuite, viewsSuite, appearanceSuite, keyboardSuite, actionsSuite, liveUpdatesSuite])
    declareSuite(system);
});
