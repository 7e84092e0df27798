import { expect } from 'chai';
import { type ConsolePage, type ConsoleSystem, openConsole, signIn, waitForExpression } from './console.fixture.ts';

export const keyboardSuite = (system: () => ConsoleSystem): void => {
  describe('keyboard', () => {
    let console: ConsolePage;
    before(async () => {
      const { browser, baseUrl, token } = system();
      console = await openConsole(browser, baseUrl);
      await signIn(console.page, token);
    });
    after(async () => {
      expect(console.pageErrors).to.deep.equal([]);
      await console.close();
    });

    const press = async (...keys: string[]) => {
      for (const key of keys) await console.page.keyboard.press(key);
    };
    const focusedLabel = (): Promise<unknown> =>
      console.page.evaluate(
        '(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent).trim()',
      );

    /** Presses Tab until the element with this label has the focus. */
    const tabTo = async (label: string) => {
      for (let presses = 0; presses < 60; presses += 1) {
        await press('Tab');
        if ((await focusedLabel()) === label) return;
      }
      throw new Error(`Tab does not reach ${label}`);
    };

    /** A closed dialog is hidden before it is removed. The page can open the next dialog only after the removal. */
    const waitForDialogRemoval = () => console.page.locator('dialog').waitFor({ state: 'detached' });

    it('the first Tab reaches a link that skips to the content', async () => {
      await console.page.reload();
      await console.page.getByText('Accepted').first().waitFor();
      await press('Tab');
      expect(await focusedLabel()).to.equal('Skip to content');
      await press('Enter');
      expect(await console.page.evaluate('document.activeElement.id')).to.equal('main');
    });

    it('shortcuts open the views, and ? lists the shortcuts', async () => {
      const { page } = console;
      await press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await press('Escape');
      await waitForDialogRemoval();
      await press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await page.evaluate(`location.hash = '#/outages'`);
      await waitForDialogRemoval();
      for (const [key, title] of [
        ['p', 'Projections'],
        ['e', 'Parked events'],
        ['j', 'Bulk jobs'],
        ['c', 'Completeness'],
        ['x', 'Doctor'],
        ['d', 'Devices'],
      ] as const) {
        await press('g', key);
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
      }
      await press('/');
      expect(await page.evaluate('document.activeElement.id')).to.equal('search');
    });

    it('a dialog keeps the focus, closes with Escape, and returns the focus', async () => {
      const { page } = console;
      await console.show('projections');
      await tabTo('Pause uptime');
      await press('Enter');
      await page.getByRole('dialog', { name: 'Pause uptime?' }).waitFor();
      for (let presses = 0; presses < 6; presses += 1) {
        await press('Tab');
        const isInside = await page.evaluate(
          'document.activeElement === document.body || document.activeElement.closest("dialog") !== null',
        );
        expect(isInside).to.equal(true);
      }
      await press('Escape');
      await waitForDialogRemoval();
      expect(await focusedLabel()).to.equal('Pause uptime');
    });

    it('the focus returns when a button closes the dialog', async () => {
      const { page } = console;
      await press('Enter');
      await page.getByRole('dialog').waitFor();
      await tabTo('Cancel');
      await press('Enter');
      await waitForDialogRemoval();
      expect(await focusedLabel()).to.equal('Pause uptime');
    });

    it('keys pause and resume a projection', async () => {
      const { page } = console;
      const row = page.getByRole('row', { name: /^uptime/ });
      await press('Enter');
      await page.getByRole('dialog').waitFor();
      await tabTo('Pause');
      await press('Enter');
      await row.getByText('paused').waitFor();
      await tabTo('Resume uptime');
      await press('Enter');
      await page.getByRole('dialog').waitFor();
      await tabTo('Resume');
      await press('Enter');
      await row.getByText(/running|starting/).waitFor();
    });

    it('arrow keys move over the map of hours', async () => {
      const { page } = console;
      await console.show('completeness');
      await tabTo('Hours of NL-1001');
      await press('Home', 'ArrowRight', 'ArrowDown');
      await waitForExpression(page, `document.activeElement.getAttribute('aria-label') === 'Hours of NL-1002'`);
      expect(await page.evaluate('document.activeElement.getAttribute("aria-valuenow")')).to.equal('1');
    });
  });
};
