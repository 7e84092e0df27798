import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { type Console, becomes, type Reader, reader, signIn } from './console.fixture.ts';
import { gone, wasAway } from './seeded.fixture.ts';

/** What a table holds, cell by cell. */
/** What stands in the rows of a table, once it is there. */
const cells = async (page: Page, caption: string): Promise<string[]> => {
  const rows = page.getByRole('table', { name: caption }).getByRole('row');
  await rows.first().waitFor();
  return rows.allInnerTexts();
};

export const viewing = (console: () => Console): void => {
  describe('shows', () => {
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

    it('how the service fares, and what needs somebody', async () => {
      await who.show('overview');
      const { page } = who;
      const problems = page.getByRole('list', { name: 'Problems' });
      await problems
        .getByText(/parked|set aside/i)
        .first()
        .waitFor();
      const counts = await page.getByRole('navigation', { name: 'Counts' }).innerText();
      expect(counts)
        .to.match(/Devices\s*14/)
        .and.match(/Online\s*7/)
        .and.match(/Parked\s*[1-9]/);
      expect(await page.getByRole('slider').count()).to.equal(4);
    });

    it('every projection', async () => {
      await who.show('projections');
      const rows = await cells(who.page, 'Projections');
      for (const name of ['coffee', 'watcher-summary', 'uptime', 'status', 'registry'])
        expect(
          rows.find((row) => row.startsWith(name)),
          name,
        ).to.include('running');
    });

    it('events that are set aside, why, and what they hold', async () => {
      const { page } = who;
      await who.show('parked');
      expect((await cells(page, 'Parked events')).join('\n')).to.include('99');
      await page
        .getByRole('button', { name: /^Show event/ })
        .first()
        .click();
      expect(await page.getByRole('region', { name: /^Event/ }).innerText()).to.include('"screenId": "NL-1001"');
      await who.show('quarantine');
      expect((await cells(page, 'Events in quarantine by reason')).join('\n')).to.include('acme player-9');
    });

    it('files, their progress and their bad rows', async () => {
      const { page } = who;
      await who.show('jobs');
      expect((await cells(page, 'Bulk jobs')).join('\n')).to.include('partly completed');
      await page.getByRole('link', { name: 'plays.ndjson' }).click();
      expect((await cells(page, 'Bad rows')).join('\n')).to.include('Row 2');
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download all' }).click(),
      ]);
      expect(file.suggestedFilename()).to.equal('plays.ndjson.errors.ndjson');
    });

    it('devices: searched, by status, by network', async () => {
      const { page } = who;
      await who.show('devices');
      expect(await cells(page, 'Devices')).to.have.length(13);
      await page.getByLabel('Status').selectOption('offline');
      await becomes(page, `document.querySelectorAll('tbody tr').length === 1`);
      expect((await cells(page, 'Devices'))[1]).to.include(String(gone));
      await page.getByLabel('Status').selectOption('');
      await page.getByLabel('Search').fill('food');
      await becomes(page, `document.querySelectorAll('tbody tr').length === 4`);
      expect(page.url()).to.include('search=food');
      await page.getByLabel('Search').fill('nothing is called so');
      await page.getByText('No device fits').waitFor();
    });

    it('when a device was away', async () => {
      const { page } = who;
      await who.show('device');
      const rows = await cells(page, 'Outages');
      expect(rows).to.have.length(2);
      expect(rows[1]).to.match(/3 h 5\d min|4 h/);
      expect(page.url()).to.include(String(wasAway));
      const band = page.getByRole('slider', { name: /Status/ });
      expect(await band.getAttribute('aria-valuetext')).to.include('not known to be offline');
    });

    it('each hour of each screen', async () => {
      const { page } = who;
      await who.show('completeness');
      expect(await page.getByRole('slider').count()).to.equal(12);
      const strip = page.getByRole('slider', { name: 'Hours of NL-1008' });
      await strip.focus();
      await page.keyboard.press('End');
      expect(await strip.getAttribute('aria-valuetext')).to.include('Offline');
      const box = (await strip.boundingBox())!;
      await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2);
      expect(await page.locator('.map-reading').innerText()).to.match(/^NL-1008, .+: (Playing|Online but silent)$/);
      await page.getByLabel('Hours', { exact: true }).selectOption('168');
      await becomes(page, `document.querySelector('[role="slider"]').getAttribute('aria-valuemax') === '167'`);
    });
  });
};
