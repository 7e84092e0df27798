import { createTestPartner } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { startFaultProxy } from '../faults/fault-proxy.fixture.ts';
import { concurrently } from './concurrent-tests.fixture.ts';
import { type ConsoleSystem, isLongRun, openConsole, signIn, waitForExpression } from './console.fixture.ts';
import { takeScreenshot } from './screenshot.fixture.ts';

export const liveUpdatesSuite = (system: () => ConsoleSystem): void => {
  describe('live updates', () => {
    concurrently({
      'the overview counts a new event without a reload': async () => {
        const { browser, baseUrl, token, service } = system();
        const { page, pageErrors, show, close } = await openConsole(browser, baseUrl);
        await signIn(page, token);
        await show('overview');
        // Error codes are shown when their minute is complete.
        if (isLongRun) await page.getByText('INVALID_EVENT').waitFor({ timeout: 90_000 });
        const counts = page.getByRole('navigation', { name: 'Counts' });
        const quarantined = async () => /Quarantined\s*(\d+)/.exec(await counts.innerText())?.[1];
        const before = await quarantined();
        await createTestPartner(service.credentials).push('/pop/dynamic', {
          schemaVersion: 'unknown-schema',
          events: [{ a: 1 }],
        });
        await waitForExpression(
          page,
          `!new RegExp('Quarantined\\\\s*${before}\\\\b').test(document.querySelector('[aria-label="Counts"]').innerText)`,
        );
        expect(Number(await quarantined())).to.equal(Number(before) + 1);
        expect(pageErrors).to.deep.equal([]);
        await close();
      },

      'an unavailable service is reported, and the console reconnects when it is back': async () => {
        const { browser, baseUrl, token } = system();
        const proxy = await startFaultProxy(baseUrl);
        const { page, show, close } = await openConsole(browser, proxy.url);
        await signIn(page, token);
        await show('devices');
        await page.getByText('Live', { exact: true }).waitFor();
        proxy.away();
        await page.getByText('Not connected').waitFor({ timeout: 30_000 });
        await page.getByText('The service does not answer').first().waitFor();
        expect(await page.getByRole('link', { name: 'Entrance 1', exact: true }).count()).to.equal(1);
        await takeScreenshot(page, 'desktop-light-disconnected');
        proxy.heal();
        await page.getByText('Live', { exact: true }).waitFor({ timeout: 30_000 });
        expect(await page.getByText('The service does not answer').count()).to.equal(0);
        expect(page.url()).to.include('#/devices?network=101');
        await close();
        await proxy.close();
      },

      'a part of the state that cannot be read does not hide the rest': async () => {
        const { browser, baseUrl, token } = system();
        const { page, show, close } = await openConsole(browser, baseUrl);
        const body = JSON.stringify({ status: false, message: 'Retry later.', error: { code: 'UNAVAILABLE' } });
        await page.route('**/ops/v1/projections', (route) => route.fulfill({ status: 503, body }));
        await signIn(page, token);
        await show('overview');
        await page.waitForResponse((response) => response.url().endsWith('/ops/v1/projections'));
        await page.getByRole('navigation', { name: 'Counts' }).waitFor();
        expect(await page.getByText('Not connected').count()).to.equal(0);
        await close();
      },

      'a response that takes longer than the reload interval is awaited': async () => {
        const { browser, baseUrl, token } = system();
        const { page, show, close } = await openConsole(browser, baseUrl);
        await signIn(page, token);
        // The reload interval of bulk jobs is three seconds.
        await page.route('**/ops/v1/jobs?*', (route) => void setTimeout(() => void route.continue(), 3_500));
        await show('jobs');
        await close();
      },

      'the login form sends no requests, and signing in again reads the state every two seconds': async () => {
        const { browser, baseUrl, token } = system();
        const proxy = await startFaultProxy(baseUrl);
        const { page, context, close } = await openConsole(browser, proxy.url);
        await signIn(page, token);
        await page.getByText('Live', { exact: true }).waitFor();
        await context.clearCookies();
        proxy.away();
        proxy.heal();
        await page.getByLabel('Operator token').waitFor({ timeout: 30_000 });
        const requests: string[] = [];
        page.on('request', (request) => requests.push(new URL(request.url()).pathname));
        // Longer than the time between two reads.
        await page.waitForTimeout(4_000);
        expect(requests).to.deep.equal([]);
        await signIn(page, token);
        for (let reads = 0; reads < 2; reads += 1)
          await page.waitForRequest((request) => request.url().endsWith('/ops/v1/projections'), { timeout: 30_000 });
        requests.length = 0;
        await page.waitForTimeout(4_000);
        expect(requests.filter((path) => path === '/ops/v1/projections').length).within(1, 3);
        await close();
        await proxy.close();
      },
    });

    if (isLongRun)
      it('after a restart with another token the login form appears, and signing in returns to the same view', async () => {
        const { browser, baseUrl, token, restart } = system();
        const { page, context, show, close } = await openConsole(browser, baseUrl);
        await signIn(page, token);
        await show('devices');
        const secondTab = await context.newPage();
        await secondTab.goto(`${baseUrl}/#/projections`);
        await secondTab.getByText('watcher-summary').first().waitFor();
        const newToken = 'another-token-of-operators';
        await restart(() => page.getByText('Not connected').waitFor({ timeout: 30_000 }), newToken);
        for (const tab of [page, secondTab]) await tab.getByLabel('Operator token').waitFor({ timeout: 30_000 });
        await signIn(page, newToken);
        await page.getByRole('link', { name: 'Entrance 1', exact: true }).waitFor();
        await secondTab.getByText('watcher-summary').first().waitFor();
        expect([page.url(), secondTab.url()].map((url) => url.split('#')[1])).to.deep.equal([
          '/devices?network=101',
          '/projections',
        ]);
        await close();
      });
  });
};
