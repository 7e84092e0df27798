import { expect } from 'chai';
import { type Console, becomes, isWhole, type Reader, reader, signIn } from './console.fixture.ts';
import { picture } from './picture.fixture.ts';

export const actions = (console: () => Console): void => {
  describe('does, when it was confirmed', () => {
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

    const confirm = async (action: string) => {
      await who.page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
      await who.page.getByRole('dialog').waitFor({ state: 'detached' });
    };

    it('a replay, compared before readers are moved, and the way back', async () => {
      const { page } = who;
      await who.show('projections');
      await page.getByRole('button', { name: 'Replay status' }).click();
      await picture(page, 'desk-light-dialog');
      expect(await page.getByLabel('Verify before readers are moved').isChecked()).to.equal(true);
      await confirm('Replay');
      await page
        .getByRole('region', { name: 'replay of status' })
        .or(page.getByRole('row', { name: /^status replay/ }))
        .first()
        .waitFor();
      await picture(page, 'desk-light-replaying');
      // What becomes of it is told by the specs of replays.
      if (!isWhole) return;
      const past = page.getByRole('table', { name: 'Replays and roll-backs so far' });
      const told = past.getByRole('row', { name: /^status replay/ });
      await told.waitFor({ timeout: 60_000 });
      expect(await told.innerText())
        .to.match(/done/)
        .and.match(/yes/);
      await page.getByRole('button', { name: 'Roll back status' }).click();
      await confirm('Roll back');
      await past.getByRole('row', { name: /^status rollback/ }).waitFor({ timeout: 60_000 });
      await picture(page, 'desk-light-replayed');
    });

    it('a retry of what is parked: it fails again, and is counted', async () => {
      const { page } = who;
      await who.show('parked');
      const row = page.getByRole('row', { name: /coffee/ }).first();
      const attempts = () => row.getByRole('cell').nth(3).innerText();
      expect(await attempts()).to.equal('1');
      await row.getByRole('button', { name: /^Retry/ }).click();
      await confirm('Retry');
      await becomes(
        page,
        `[...document.querySelectorAll('tbody tr')].some((row) => /coffee/.test(row.innerText) && /\\b2\\b/.test(row.cells[4].innerText))`,
      );
    });

    it('another look at what is in quarantine', async () => {
      const { page } = who;
      await who.show('quarantine');
      await page.getByRole('button', { name: 'Retry acme player-9' }).click();
      await confirm('Retry');
      await page.getByText('They are tried again').waitFor();
      expect((await page.getByRole('row', { name: /^acme player-9/ }).innerText()).length).to.be.greaterThan(0);
      await who.show('parked');
    });

    it('a discard, which asks why', async () => {
      const { page } = who;
      await page
        .getByRole('row', { name: /coffee/ })
        .first()
        .getByRole('button', { name: /^Discard/ })
        .click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Discard', exact: true }).click();
      expect(await dialog.isVisible(), 'without a reason').to.equal(true);
      await dialog.getByLabel(/Reason/).fill('a build that was never released');
      await confirm('Discard');
      // It is in nobody's way any more, and still there for who asks.
      await page.getByLabel('State').selectOption('Discarded');
      await page.getByText('discarded: a build that was never released').waitFor({ timeout: 30_000 });
      expect(await page.getByRole('button', { name: /^(Retry|Discard)/ }).count()).to.equal(0);
      await picture(page, 'desk-light-discarded');
    });
  });
};
