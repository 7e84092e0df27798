import { expect } from 'chai';
import { type Console, becomes, type Reader, reader, signIn } from './console.fixture.ts';

export const keyboard = (console: () => Console): void => {
  describe('by the keyboard alone', () => {
    let who: Reader;
    before(async () => {
      const { browser, baseUrl, token } = console();
      who = await reader(browser, baseUrl);
      await signIn(who.page, token);
    });
    after(async () => {
      expect(who.heard).to.deep.equal([]);
      await who.close();
    });

    const press = async (...keys: string[]) => {
      for (const key of keys) await who.page.keyboard.press(key);
    };
    const focused = (): Promise<unknown> =>
      who.page.evaluate(
        '(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent).trim()',
      );

    /** Until it stands on what is called so. */
    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 60; presses += 1) {
        await press('Tab');
        if ((await focused()) === name) return;
      }
      throw new Error(`Tab does not lead to ${name}`);
    };

    it('the first step skips to the content', async () => {
      await who.page.reload();
      await who.page.getByText('Accepted').first().waitFor();
      await press('Tab');
      expect(await focused()).to.equal('Skip to content');
      await press('Enter');
      expect(await who.page.evaluate('document.activeElement.id')).to.equal('main');
    });

    it('letters lead to the views, and ? tells which', async () => {
      const { page } = who;
      await press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      for (const [key, title] of [
        ['p', 'Projections'],
        ['s', 'Set aside'],
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

    it('a dialog keeps the focus, closes with Escape, and gives it back', async () => {
      const { page } = who;
      await who.show('projections');
      await tabTo('Pause uptime');
      await press('Enter');
      await page.getByRole('dialog', { name: 'Pause uptime?' }).waitFor();
      for (let presses = 0; presses < 6; presses += 1) {
        await press('Tab');
        const inside = await page.evaluate(
          'document.activeElement === document.body || document.activeElement.closest("dialog") !== null',
        );
        expect(inside).to.equal(true);
      }
      await press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await focused()).to.equal('Pause uptime');
    });

    it('pauses a projection and has it go on', async () => {
      const { page } = who;
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

    it('walks over the map of hours', async () => {
      const { page } = who;
      await who.show('completeness');
      await tabTo('Hours of NL-1001');
      await press('Home', 'ArrowRight', 'ArrowDown');
      await becomes(page, `document.activeElement.getAttribute('aria-label') === 'Hours of NL-1002'`);
      expect(await page.evaluate('document.activeElement.getAttribute("aria-valuenow")')).to.equal('1');
    });
  });
};
