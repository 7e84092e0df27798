import { expect } from 'chai';
import { concurrently } from './concurrent-tests.fixture.ts';
import { type ConsoleSystem, openConsole, signIn } from './console.fixture.ts';
import { takeScreenshot } from './screenshot.fixture.ts';

export const sessionSuite = (system: () => ConsoleSystem): void => {
  describe('sessions', () => {
    concurrently({
      'a wrong token is refused with a message': async () => {
        const { browser, baseUrl } = system();
        const { page, pageErrors, close } = await openConsole(browser, baseUrl);
        await takeScreenshot(page, 'desktop-light-login');
        await page.getByLabel('Operator token').fill('not the token');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('alert').getByText('not the operator token').waitFor();
        await takeScreenshot(page, 'desktop-light-login-refused');
        expect(await page.getByRole('navigation').count()).to.equal(0);
        expect(pageErrors).to.deep.equal([]);
        await close();
      },

      'the right token opens the requested view and is not stored in the browser': async () => {
        const { browser, baseUrl, token } = system();
        const { page, context, pageErrors, close } = await openConsole(browser, baseUrl);
        await page.goto(`${baseUrl}/#/devices?network=101&status=online`);
        await signIn(page, token);
        await page.getByRole('link', { name: 'Entrance 1', exact: true }).waitFor();
        expect(page.url()).to.include('#/devices?network=101&status=online');
        const stored = await page.evaluate(
          'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
        );
        expect(stored).not.to.include(token);
        const [cookie] = await context.cookies();
        expect(cookie).to.include({ name: 'popsvc_session', httpOnly: true, sameSite: 'Strict' });
        expect(await page.content()).not.to.include(token);
        expect(pageErrors).to.deep.equal([]);
        await close();
      },

      'all tabs share the session, and after a sign-out a copy of the cookie is refused': async () => {
        const { browser, baseUrl, token } = system();
        const { page, context, pageErrors, close } = await openConsole(browser, baseUrl);
        const secondTab = await context.newPage();
        await secondTab.goto(`${baseUrl}/#/projections`);
        await secondTab.getByLabel('Operator token').waitFor();
        await signIn(page, token);
        await secondTab.getByText('watcher-summary').first().waitFor();
        const [copied] = await context.cookies();
        await page.getByRole('button', { name: 'Sign out' }).click();
        await secondTab.getByLabel('Operator token').waitFor();
        const cookie = `${copied!.name}=${copied!.value}`;
        expect((await fetch(`${baseUrl}/ops/v1/projections`, { headers: { cookie } })).status).to.equal(401);
        expect(pageErrors).to.deep.equal([]);
        await close();
      },

      'an account signs in with its password, and the console disables what its role may not do': async () => {
        const { browser, baseUrl, token } = system();
        const made = await fetch(`${baseUrl}/ops/v1/accounts`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ name: 'vera', role: 'viewer' }),
        });
        const { password } = (await made.json()) as { password: string };
        const { page, pageErrors, show, close } = await openConsole(browser, baseUrl);
        await page.getByRole('button', { name: 'Use an account instead' }).click();
        await page.getByLabel('Account').fill('vera');
        await page.getByLabel('Password').fill('not the password');
        await page.keyboard.press('Enter');
        await page.getByRole('alert').getByText('The account or the password is not valid.').waitFor();
        await page.getByLabel('Password').fill(password);
        await page.keyboard.press('Enter');
        await page.getByText('vera').waitFor();
        await show('projections');
        const pause = page.getByRole('button', { name: 'Pause uptime' });
        expect([await pause.isDisabled(), await pause.getAttribute('title')]).to.deep.equal([
          true,
          'Needs the role operator',
        ]);
        await show('webhooks');
        await page
          .getByRole('row', { name: /job\.finished/ })
          .getByRole('link')
          .click();
        expect(await page.getByRole('button', { name: 'Redeliver all dead letters' }).isDisabled()).to.equal(true);
        await page.getByLabel('State').selectOption('delivered');
        expect(
          await page
            .getByRole('button', { name: /^Redeliver / })
            .first()
            .isDisabled(),
        ).to.equal(true);
        await show('access');
        expect(await page.getByRole('button', { name: 'New API key' }).isDisabled()).to.equal(true);
        expect(await page.getByRole('link', { name: 'Accounts' }).count()).to.equal(0);
        await takeScreenshot(page, 'desktop-light-viewer');
        await show('audit');
        await page.getByRole('row', { name: /Sign in.*vera/s }).waitFor();
        expect(pageErrors).to.deep.equal([]);
        await close();
      },

      'when the session ends the login form appears, and signing in returns to the same view': async () => {
        const { browser, baseUrl, token } = system();
        const { page, context, close } = await openConsole(browser, baseUrl);
        await signIn(page, token);
        await page.goto(`${baseUrl}/#/jobs?status=partially_completed`);
        await page.getByText('plays.ndjson').waitFor();
        await context.clearCookies();
        await page.getByLabel('Operator token').waitFor();
        await signIn(page, token);
        await page.getByText('plays.ndjson').waitFor();
        expect(page.url()).to.include('#/jobs?status=partially_completed');
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByLabel('Operator token').waitFor();
        expect(await context.cookies()).to.deep.equal([]);
        await close();
      },
    });
  });
};
