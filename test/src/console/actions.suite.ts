import { expect } from 'chai';
import {
  type ConsolePage,
  type ConsoleSystem,
  isLongRun,
  openConsole,
  signIn,
  waitForExpression,
} from './console.fixture.ts';
import { takeScreenshot } from './screenshot.fixture.ts';

export const actionsSuite = (system: () => ConsoleSystem): void => {
  describe('actions, after a confirmation', () => {
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

    const confirm = async (action: string) => {
      await console.page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
      await console.page.getByRole('dialog').waitFor({ state: 'detached' });
    };

    it('Replay starts a verified replay, and Roll back reverts it', async () => {
      const { page } = console;
      await console.show('projections');
      await page.getByRole('button', { name: 'Replay status' }).click();
      await takeScreenshot(page, 'desktop-light-dialog');
      expect(await page.getByLabel('Verify before the switch').isChecked()).to.equal(true);
      await confirm('Replay');
      await page
        .getByRole('region', { name: 'replay of status' })
        .or(page.getByRole('row', { name: /^status replay/ }))
        .first()
        .waitFor();
      await takeScreenshot(page, 'desktop-light-replaying');
      // The specs of replays check the result; a long run checks it in the console too.
      if (!isLongRun) return;
      const history = page.getByRole('table', { name: 'Past replays and rollbacks' });
      const replayRow = history.getByRole('row', { name: /^status replay/ });
      await replayRow.waitFor({ timeout: 60_000 });
      expect(await replayRow.innerText())
        .to.match(/done/)
        .and.match(/yes/);
      await page.getByRole('button', { name: 'Roll back status' }).click();
      await confirm('Roll back');
      await history.getByRole('row', { name: /^status rollback/ }).waitFor({ timeout: 60_000 });
      await takeScreenshot(page, 'desktop-light-replayed');
    });

    it('Retry of a parked event that fails again counts an attempt', async () => {
      const { page } = console;
      await console.show('parked');
      const row = page.getByRole('row', { name: /coffee/ }).first();
      const attempts = () => row.getByRole('cell').nth(3).innerText();
      expect(await attempts()).to.equal('1');
      await row.getByRole('button', { name: /^Retry/ }).click();
      await confirm('Retry');
      await waitForExpression(
        page,
        `[...document.querySelectorAll('tbody tr')].some((row) => /coffee/.test(row.innerText) && /\\b2\\b/.test(row.cells[4].innerText))`,
      );
    });

    it('Retry of a quarantined schema is confirmed with a notice', async () => {
      const { page } = console;
      await console.show('quarantine');
      await page.getByRole('button', { name: 'Retry acme player-9' }).click();
      await confirm('Retry');
      await page.getByText('Events that the mapping accepts leave the quarantine').waitFor();
      expect((await page.getByRole('row', { name: /^acme player-9/ }).innerText()).length).to.be.greaterThan(0);
      await console.show('parked');
    });

    it('Discard requires a reason, and lists the event as discarded', async () => {
      const { page } = console;
      await page
        .getByRole('row', { name: /coffee/ })
        .first()
        .getByRole('button', { name: /^Discard/ })
        .click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Discard', exact: true }).click();
      expect(await dialog.isVisible(), 'without a reason').to.equal(true);
      await dialog.getByLabel(/Reason/).fill('a version that was never released');
      await confirm('Discard');
      await page.getByLabel('State').selectOption('Discarded');
      await page.getByText('discarded: a version that was never released').waitFor({ timeout: 30_000 });
      expect(await page.getByRole('button', { name: /^(Retry|Discard)/ }).count()).to.equal(0);
      await takeScreenshot(page, 'desktop-light-discarded');
    });
  });
};
