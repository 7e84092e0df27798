import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { type ConsolePage, type ConsoleSystem, openConsole, signIn, waitForExpression } from './console.fixture.ts';
import { deviceWithOutage, offlineDevice } from './seed.fixture.ts';

/** The texts of the rows of a table, including its header. */
const rowTexts = async (page: Page, caption: string): Promise<string[]> => {
  const rows = page.getByRole('table', { name: caption }).getByRole('row');
  await rows.first().waitFor();
  return rows.allInnerTexts();
};

export const viewsSuite = (system: () => ConsoleSystem): void => {
  describe('views', () => {
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

    it('Overview shows problems, counts and four charts', async () => {
      await console.show('overview');
      const { page } = console;
      const problems = page.getByRole('list', { name: 'Problems' });
      await problems
        .getByText(/parked/i)
        .first()
        .waitFor();
      const counts = await page.getByRole('navigation', { name: 'Counts' }).innerText();
      expect(counts)
        .to.match(/Devices\s*14/)
        .and.match(/Online\s*7/)
        .and.match(/Parked\s*[1-9]/);
      expect(await page.getByRole('slider').count()).to.equal(4);
    });

    it('Projections shows every projection with its state', async () => {
      await console.show('projections');
      const rows = await rowTexts(console.page, 'Projections');
      for (const name of ['coffee', 'watcher-summary', 'uptime', 'status', 'registry'])
        expect(
          rows.find((row) => row.startsWith(name)),
          name,
        ).to.include('running');
    });

    it('Parked events shows parked and quarantined events with reasons and contents', async () => {
      const { page } = console;
      await console.show('parked');
      expect((await rowTexts(page, 'Parked events')).join('\n')).to.include('99');
      await page
        .getByRole('button', { name: /^Show event/ })
        .first()
        .click();
      expect(await page.getByRole('region', { name: /^Event/ }).innerText()).to.include('"screenId": "NL-1001"');
      await console.show('quarantine');
      expect((await rowTexts(page, 'Quarantined events by reason')).join('\n')).to.include('acme player-9');
    });

    it('Bulk jobs shows files, their progress and their bad rows', async () => {
      const { page } = console;
      await console.show('jobs');
      expect((await rowTexts(page, 'Bulk jobs')).join('\n')).to.include('partly completed');
      await page.getByRole('link', { name: 'plays.ndjson' }).click();
      expect((await rowTexts(page, 'Bad rows')).join('\n')).to.include('Row 2');
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download all' }).click(),
      ]);
      expect(file.suggestedFilename()).to.equal('plays.ndjson.errors.ndjson');
    });

    it('Devices filters by text, status and network', async () => {
      const { page } = console;
      await console.show('devices');
      expect(await rowTexts(page, 'Devices')).to.have.length(13);
      await page.getByLabel('Status').selectOption('offline');
      await waitForExpression(page, `document.querySelectorAll('tbody tr').length === 1`);
      expect((await rowTexts(page, 'Devices'))[1]).to.include(String(offlineDevice));
      await page.getByLabel('Status').selectOption('');
      await page.getByLabel('Search').fill('food');
      await waitForExpression(page, `document.querySelectorAll('tbody tr').length === 4`);
      expect(page.url()).to.include('search=food');
      await page.getByLabel('Search').fill('not the name of a device');
      await page.getByText('No matching devices').waitFor();
    });

    it('a device shows its outages as a table and a timeline', async () => {
      const { page } = console;
      await console.show('device');
      const rows = await rowTexts(page, 'Outages');
      expect(rows).to.have.length(2);
      expect(rows[1]).to.match(/3 h 5\d min|4 h/);
      expect(page.url()).to.include(String(deviceWithOutage));
      const timeline = page.getByRole('slider', { name: /Status/ });
      expect(await timeline.getAttribute('aria-valuetext')).to.include('not known to be offline');
    });

    it('Completeness shows each hour of each screen', async () => {
      const { page } = console;
      await console.show('completeness');
      expect(await page.getByRole('slider').count()).to.equal(12);
      const strip = page.getByRole('slider', { name: 'Hours of NL-1008' });
      await strip.focus();
      await page.keyboard.press('End');
      expect(await strip.getAttribute('aria-valuetext')).to.include('Offline');
      const box = (await strip.boundingBox())!;
      await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2);
      expect(await page.locator('.map-readout').innerText()).to.match(/^NL-1008, .+: (Playing|Online but silent)$/);
      await page.getByLabel('Hours', { exact: true }).selectOption('168');
      await waitForExpression(
        page,
        `document.querySelector('[role="slider"]').getAttribute('aria-valuemax') === '167'`,
      );
    });
  });
};
