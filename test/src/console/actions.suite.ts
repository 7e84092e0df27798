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

// cspell:ignore acma

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

    it('Access creates an account, changes its role, and shows each password once; Audit lists the actions', async () => {
      const { page } = console;
      await console.show('accounts');
      await page.getByRole('button', { name: 'New account' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('jane');
      await page.getByRole('dialog').getByLabel('Role').selectOption('operator');
      await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
      const shown = page.getByRole('dialog', { name: 'Account jane' });
      await shown.waitFor();
      const password = await shown.locator('code').last().innerText();
      expect(password).to.match(/^[\w-]{24}$/);
      await takeScreenshot(page, 'desktop-light-secret');
      await confirm('Done');
      expect(await page.content()).to.not.include(password);
      await page.getByRole('button', { name: 'Role: jane' }).click();
      await page.getByRole('dialog').getByLabel('Role').selectOption('admin');
      await confirm('Set the role');
      await page.getByRole('row', { name: /^jane\s+admin/ }).waitFor();
      await console.show('audit');
      await page.getByLabel('Action').selectOption('Set the role of an account');
      await page.getByRole('row', { name: /Set the role.*role: admin.*operator-token/s }).waitFor();
      expect(page.url()).to.include('action=setAccountRole');
    });

    it('Access creates an API key for a vendor of a network, and revokes it', async () => {
      const { page } = console;
      await console.show('access');
      await page.getByRole('button', { name: 'New API key' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Network').selectOption('101');
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();
      await dialog.getByText('Choose a network and a vendor.').waitFor();
      await dialog.getByLabel('Vendor').selectOption('acme');
      await dialog.getByLabel('Name, to recognize it').fill('till 7');
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();
      const shown = page.getByRole('dialog', { name: 'API key of acme' });
      expect(await shown.locator('code').innerText()).to.match(/^acme_sk_/);
      await confirm('Done');
      const row = page.getByRole('row', { name: /till 7/ });
      await row.getByRole('button', { name: /^Revoke/ }).click();
      await confirm('Revoke');
      await row.getByText('revoked').waitFor();
    });

    it('Redeliver posts a notice again', async () => {
      const { page } = console;
      const { received } = system().receiver;
      await console.show('webhooks');
      const webhook = page.getByRole('row', { name: /job\.finished/ });
      expect(await webhook.innerText())
        .to.match(/network 101/)
        .and.match(/job\.finished\s+0\s+0\s/);
      await webhook.getByRole('link').click();
      await page.getByText('No such deliveries').waitFor();
      await page.getByLabel('State').selectOption('delivered');
      const notice = page.getByRole('row', { name: /^job\.finished/ });
      await notice.waitFor();
      expect(await notice.innerText())
        .to.match(/partially_completed/)
        .and.match(/status 204/);
      expect(received).to.have.length(1);
      await notice.getByRole('button', { name: /^Redeliver/ }).click();
      await confirm('Redeliver');
      await page.getByText('1 notice will be posted again').waitFor();
      await notice.getByText('2 attempts').waitFor();
      expect(received).to.have.length(2);
      expect(received[1]!.headers['webhook-id']).to.equal(received[0]!.headers['webhook-id']);
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
