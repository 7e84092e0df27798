import { expect } from 'chai';
import { faultProxy } from '../faults/fault-proxy.fixture.ts';
import { createTestPartner } from '@popsvc/tools/rig';
import { type Console, becomes, isWhole, reader, signIn } from './console.fixture.ts';
import { picture } from './picture.fixture.ts';
import { sideBySide } from './side-by-side.ts';

export const living = (console: () => Console): void => {
  describe('lives', () => {
    sideBySide({
      'what happens is there without being asked for': async () => {
        const { browser, baseUrl, token, service } = console();
        const { page, heard, show, close } = await reader(browser, baseUrl);
        await signIn(page, token);
        await show('overview');
        // Told once its minute is over.
        if (isWhole) await page.getByText('INVALID_EVENT').waitFor({ timeout: 90_000 });
        const counts = page.getByRole('navigation', { name: 'Counts' });
        const quarantined = async () => /Quarantined\s*(\d+)/.exec(await counts.innerText())?.[1];
        const before = await quarantined();
        await createTestPartner(service.credentials).push('/pop/dynamic', {
          schemaVersion: 'unheard-of',
          events: [{ a: 1 }],
        });
        await becomes(
          page,
          `!new RegExp('Quarantined\\\\s*${before}\\\\b').test(document.querySelector('[aria-label="Counts"]').innerText)`,
        );
        expect(Number(await quarantined())).to.equal(Number(before) + 1);
        expect(heard).to.deep.equal([]);
        await close();
      },

      'says when the service is away, and goes on by itself when it is back': async () => {
        const { browser, baseUrl, token } = console();
        const way = await faultProxy(baseUrl);
        const { page, show, close } = await reader(browser, way.url);
        await signIn(page, token);
        await show('devices');
        await page.getByText('Live', { exact: true }).waitFor();
        way.away();
        await page.getByText('Not connected').waitFor({ timeout: 30_000 });
        await page.getByText('The service does not answer').first().waitFor();
        expect(await page.getByRole('link', { name: 'Entrance 1', exact: true }).count()).to.equal(1);
        await picture(page, 'desk-light-away');
        way.heal();
        await page.getByText('Live', { exact: true }).waitFor({ timeout: 30_000 });
        expect(await page.getByText('The service does not answer').count()).to.equal(0);
        expect(page.url()).to.include('#/devices?network=101');
        await close();
        await way.close();
      },

      'waits for a server that takes longer to answer than it is commonly asked again': async () => {
        const { browser, baseUrl, token } = console();
        const { page, show, close } = await reader(browser, baseUrl);
        await signIn(page, token);
        // Bulk jobs are asked for every three seconds.
        await page.route('**/ops/v1/jobs?*', (route) => void setTimeout(() => void route.continue(), 3_500));
        await show('jobs');
        await close();
      },

      'asks nothing behind the door once its session is over, and listens once when it is let in again': async () => {
        const { browser, baseUrl, token } = console();
        const way = await faultProxy(baseUrl);
        const { page, context, close } = await reader(browser, way.url);
        await signIn(page, token);
        await page.getByText('Live', { exact: true }).waitFor();
        await context.clearCookies();
        way.away();
        way.heal();
        await page.getByLabel('Operator token').waitFor({ timeout: 30_000 });
        const asked: string[] = [];
        page.on('request', (request) => asked.push(new URL(request.url()).pathname));
        // It asks who is there every three seconds while the server is away.
        await page.waitForTimeout(4_000);
        expect(asked).to.deep.equal([]);
        await signIn(page, token);
        await page.waitForTimeout(4_000);
        expect(asked.filter((path) => path === '/ops/v1/live')).to.have.length(1);
        await close();
        await way.close();
      },
    });

    if (isWhole)
      it('asks who is there when the service comes back with another token, and leads on', async () => {
        const { browser, baseUrl, token, restart } = console();
        const { page, context, show, close } = await reader(browser, baseUrl);
        await signIn(page, token);
        await show('devices');
        const second = await context.newPage();
        await second.goto(`${baseUrl}/#/projections`);
        await second.getByText('watcher-summary').first().waitFor();
        const other = 'another-token-of-operators';
        await restart(() => page.getByText('Not connected').waitFor({ timeout: 30_000 }), other);
        for (const tab of [page, second]) await tab.getByLabel('Operator token').waitFor({ timeout: 30_000 });
        await signIn(page, other);
        await page.getByRole('link', { name: 'Entrance 1', exact: true }).waitFor();
        await second.getByText('watcher-summary').first().waitFor();
        expect([page.url(), second.url()].map((url) => url.split('#')[1])).to.deep.equal([
          '/devices?network=101',
          '/projections',
        ]);
        await close();
      });
  });
};
