import { expect } from 'chai';
import { type Console, reader, signIn } from './console.fixture.ts';
import { picture } from './picture.fixture.ts';
import { sideBySide } from './side-by-side.ts';

export const door = (console: () => Console): void => {
  describe('at its door', () => {
    sideBySide({
      'refuses a wrong token, and says so': async () => {
        const { browser, baseUrl } = console();
        const { page, heard, close } = await reader(browser, baseUrl);
        await picture(page, 'desk-light-door');
        await page.getByLabel('Operator token').fill('not the token');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('alert').getByText('not the operator token').waitFor();
        await picture(page, 'desk-light-door-refused');
        expect(await page.getByRole('navigation').count()).to.equal(0);
        expect(heard).to.deep.equal([]);
        await close();
      },

      'lets the token in, keeps it nowhere, and leads back to the place that was asked for': async () => {
        const { browser, baseUrl, token } = console();
        const { page, context, heard, close } = await reader(browser, baseUrl);
        await page.goto(`${baseUrl}/#/devices?network=101&status=online`);
        await signIn(page, token);
        await page.getByRole('link', { name: 'Entrance 1', exact: true }).waitFor();
        expect(page.url()).to.include('#/devices?network=101&status=online');
        const kept = await page.evaluate(
          'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
        );
        expect(kept).not.to.include(token);
        const [cookie] = await context.cookies();
        expect(cookie).to.include({ name: 'popsvc_session', httpOnly: true, sameSite: 'Strict' });
        expect(await page.content()).not.to.include(token);
        expect(heard).to.deep.equal([]);
        await close();
      },

      'is one for all tabs: who signs in or out of one does so in the others, and a copied cookie is good no more':
        async () => {
          const { browser, baseUrl, token } = console();
          const { page, context, heard, close } = await reader(browser, baseUrl);
          const second = await context.newPage();
          await second.goto(`${baseUrl}/#/projections`);
          await second.getByLabel('Operator token').waitFor();
          await signIn(page, token);
          await second.getByText('watcher-summary').first().waitFor();
          const [copied] = await context.cookies();
          await page.getByRole('button', { name: 'Sign out' }).click();
          await second.getByLabel('Operator token').waitFor();
          const cookie = `${copied!.name}=${copied!.value}`;
          expect((await fetch(`${baseUrl}/ops/v1/projections`, { headers: { cookie } })).status).to.equal(401);
          expect(heard).to.deep.equal([]);
          await close();
        },

      'comes back when the session is over, and then leads on': async () => {
        const { browser, baseUrl, token } = console();
        const { page, context, close } = await reader(browser, baseUrl);
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
