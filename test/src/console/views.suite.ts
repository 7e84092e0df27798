import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { takeScreenshot } from './screenshot.fixture.ts';
import { type ConsolePage, type ConsoleSystem, openConsole, signIn, waitForExpression } from './console.fixture.ts';
import { deviceWithOutage, lookedUpEvent, neverSeenDevice, offlineDevice } from './seed.fixture.ts';

/** The texts of the rows of a table, including its header. */
const rowTexts = async (page: Page, caption: string): Promise<string[]> => {
  const rows = page.getByRole('table', { name: caption, exact: true }).getByRole('row');
  await rows.first().waitFor();
  return rows.allInnerTexts();
};

type Overview = Readonly<Record<string, unknown>> & { readonly counts: Readonly<Record<string, number | null>> };

/** Changes the overview that the page receives. */
const changeOverview = (page: Page, change: (overview: Overview) => Overview): Promise<unknown> =>
  page.route('**/ops/v1/overview', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change((await response.json()) as Overview) });
  });

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

    it('Overview shows the next steps while nothing was received', async () => {
      const { page } = console;
      await changeOverview(page, (overview) => ({
        ...overview,
        accepted_last_hour: 0,
        refused_last_hour: 0,
        counts: { ...overview.counts, devices: 2, never_seen: 2, quarantined: 0 },
      }));
      await console.show('projections');
      await page.evaluate(`location.hash = '#/'`);
      await page.getByText('No events yet').waitFor();
      expect(await page.getByRole('slider').count()).to.equal(0);
      await page.unroute('**/ops/v1/overview');
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

    it('Cluster shows the process with its partitions, and the server of ClickHouse', async () => {
      await console.show('cluster');
      const members = await rowTexts(console.page, 'Processes of projectors');
      expect(members.filter((row) => row.includes('alive'))).to.have.length(1);
      expect(members.join('\n')).to.match(/Runs .*\bcoffee, /);
      const servers = await rowTexts(console.page, 'ClickHouse servers');
      expect(servers.filter((row) => row.includes('ready'))).to.have.length(1);
    });

    it('Cluster shows a server of another shard as such, and the broken parts of a server', async () => {
      const { page } = console;
      await page.route('**/ops/v1/cluster', async (route) => {
        const response = await route.fetch();
        const cluster = (await response.json()) as { readonly replicas: readonly object[] };
        const [server] = cluster.replicas;
        const wrong = { ...server, server: 'other:8123', state: 'wrong-shard', error: 'it is shard 2 of 2' };
        await route.fulfill({
          response,
          json: { ...cluster, replicas: [{ ...server, broken_parts: 37 }, wrong] },
        });
      });
      await console.show('cluster');
      await page.getByText('it is shard 2 of 2').waitFor();
      const [, first, second] = await rowTexts(page, 'ClickHouse servers');
      expect(first).to.match(/ready[^]*\b37$/);
      expect(second).to.match(/^other:8123[^]*wrong-shard[^]*–$/);
      await page.unroute('**/ops/v1/cluster');
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

    it('Parked events opens the quarantine if only quarantined events wait', async () => {
      const { page } = console;
      await changeOverview(page, (overview) => ({
        ...overview,
        counts: { ...overview.counts, parked: 0, quarantined: 122 },
      }));
      const navigation = page.getByRole('navigation', { name: 'Views' });
      await navigation.getByText(/^122/).waitFor();
      await console.show('projections');
      await navigation.getByRole('link', { name: /Parked events/ }).click();
      await page.getByRole('table', { name: 'Quarantined events by reason' }).waitFor();
      await page.unroute('**/ops/v1/overview');
    });

    it('Parked events shows the ids in plays that the registry lacks, with the number of plays', async () => {
      await console.show('unknownIds');
      const rows = await rowTexts(console.page, 'Unknown ids');
      expect(rows).to.have.length(3);
      expect(rows[1]).to.match(/C-1\s+campaign\s+acme\s+network 101\s+\d{3}\s/);
      expect(rows[2]).to.match(/CR-1\s+creative\s/);
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

    it('Bulk jobs shows the warnings of a job', async () => {
      const { page } = console;
      await page.route('**/ops/v1/jobs/*', async (route) => {
        const response = await route.fetch();
        const warning = { row: 7, code: 'MULTI_LINE_ROW', message: 'A quoted field makes lines 8 to 9 one row.' };
        const job = { ...((await response.json()) as object), warnings: [warning], warning_count: 12 };
        await route.fulfill({ response, json: job });
      });
      await console.show('jobs');
      await page.getByRole('link', { name: 'plays.ndjson' }).click();
      expect((await rowTexts(page, 'Warnings')).join('\n')).to.match(
        /Row 7\s+A quoted field makes lines 8 to 9 one row/,
      );
      await page.getByText('The first 1 of 12').waitFor();
      await page.unroute('**/ops/v1/jobs/*');
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

    it('a device shows its outages as a table, and when it was online, offline and unknown as a timeline', async () => {
      const { page } = console;
      await console.show('device');
      const rows = await rowTexts(page, 'Outages');
      expect(rows).to.have.length(2);
      expect(rows[1]).to.match(/3 h 5\d min|4 h/);
      expect(page.url()).to.include(String(deviceWithOutage));
      const timeline = page.getByRole('slider', { name: /Status/ });
      expect(await timeline.getAttribute('aria-valuetext')).to.match(/: online$/);
      await timeline.focus();
      await page.keyboard.press('Home');
      // The device sent its first heartbeat two days ago.
      expect(await timeline.getAttribute('aria-valuetext')).to.match(/: unknown$/);
      const box = (await timeline.boundingBox())!;
      const statusAtHoursAgo = async (hours: number) => {
        await page.mouse.move(box.x + box.width * (1 - hours / 168), box.y + box.height / 2);
        return (await timeline.getAttribute('aria-valuetext'))!.split(': ')[1];
      };
      expect(await statusAtHoursAgo(50)).to.equal('unknown');
      expect(await statusAtHoursAgo(46)).to.equal('online');
      expect(await statusAtHoursAgo(28)).to.equal('offline');
      await page.evaluate(`location.hash = '#/devices/${neverSeenDevice}'`);
      await page.getByText('never seen').waitFor();
      for (const key of ['Home', 'End']) {
        await timeline.focus();
        await page.keyboard.press(key);
        expect(await timeline.getAttribute('aria-valuetext')).to.match(/: unknown$/);
      }
    });

    it('Outages lists them by site and one by one, filters, and downloads a CSV file', async () => {
      const { page } = console;
      await console.show('outages');
      for (const device of [deviceWithOutage, offlineDevice])
        await page.getByText(`device ${device}`, { exact: true }).first().waitFor({ timeout: 60_000 });
      const bySite = await rowTexts(page, 'Outages by site');
      const outages = await rowTexts(page, 'Outages');
      expect(bySite.length).to.be.greaterThan(1);
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download CSV' }).click(),
      ]);
      const lines = readFileSync(await file.path(), 'utf8')
        .trimEnd()
        .split('\r\n');
      expect(lines[0]).to.match(/^offline_at,online_at,seconds,kind,id,name,/);
      expect(lines).to.have.length(outages.length);
      await page.getByLabel('Only ongoing').check();
      await page.getByText('1 outage', { exact: true }).waitFor();
      expect((await rowTexts(page, 'Outages')).join('\n')).to.include(`device ${offlineDevice}`);
      await page.getByRole('table', { name: 'Outages by site' }).getByRole('link').first().click();
      await page.getByRole('button', { name: 'All sites' }).waitFor();
      expect(page.url()).to.match(/site=\d+/);
    });

    it('Vendors shows what each vendor sent, why events wait, and the unknown ids', async () => {
      const { page } = console;
      await console.show('vendors');
      const [, acme] = await rowTexts(page, 'Vendors');
      expect(acme).to.match(/^acme\s+Northlight\s+\d+\s+\d+\s+0\s+0\s+3\b/);
      expect((await rowTexts(page, 'Waiting in quarantine, by reason')).join('\n')).to.include('acme player-9');
      expect(await rowTexts(page, 'Unknown ids')).to.have.length(3);
      await page.getByRole('table', { name: 'Vendors' }).getByRole('link', { name: 'acme' }).click();
      expect(page.url()).to.include('vendor=acme');
      const chart = page.getByRole('slider', { name: 'Quarantined, by hour' });
      expect(await chart.getAttribute('aria-valuemax')).to.equal('23');
      expect(await chart.getAttribute('aria-valuetext')).to.match(/: \d events$/);
    });

    it('Vendors shows the refused requests with the newest reason', async () => {
      await console.show('vendors');
      const [, refused] = await rowTexts(console.page, 'Refused requests, by reason');
      expect(refused).to.match(/^acme\s+network 101\s+events\[0\]\.\w+: [^]+\s+INVALID_EVENT\s+1\s+1\s/);
    });

    it('Networks lists the networks, and shows the problems and vendors of one', async () => {
      const { page } = console;
      await console.show('networks');
      const rows = await rowTexts(page, 'Networks');
      const [northlight, riverside] = ['Northlight', 'Riverside'].map((name) =>
        rows.find((row) => row.startsWith(name)),
      );
      expect(northlight).to.match(/^Northlight\s+101 · Europe\/London\s+2\s+7 of 12 online\s+\d+\s+3\s+heartbeat /);
      expect(riverside).to.match(
        /^Riverside\s+102 · Europe\/London\s+0\s+0\s+0\s+0\s+no heartbeat\s+no plays in 24 h\s/,
      );
      await page.getByRole('link', { name: 'Northlight' }).click();
      await page.getByRole('heading', { level: 1, name: 'Northlight' }).waitFor();
      expect((await rowTexts(page, 'Vendors'))[1]).to.match(/^acme\s+Northlight\s/);
      expect((await rowTexts(page, 'Refused requests, by reason'))[1]).to.match(/^acme\s/);
      const problem = { check: 'flow', problem: 'vendor-silent', outcome: 'warning', advice: '', since: null };
      const ofNetworks = [101, 1_010].map((id) => ({
        ...problem,
        subject: `vendor acme of network ${id}`,
        found: `nothing for ${id}`,
      }));
      await changeOverview(page, (overview) => ({ ...overview, problems: ofNetworks }));
      const problems = page.getByRole('list', { name: 'Problems' });
      await problems.getByText('nothing for 101', { exact: false }).waitFor();
      expect(await problems.getByRole('listitem').count()).to.equal(1);
      await problems.getByRole('link').click();
      await page.getByRole('heading', { level: 1, name: 'Vendors' }).waitFor();
      expect(page.url()).to.include('network=101').and.include('vendor=acme');
      await page.unroute('**/ops/v1/overview');
      await page.evaluate(`location.hash = '#/networks/9'`);
      await page.getByText('The registry has no such network').waitFor();
    });

    it('Event look-up shows each receipt of an event with its outcome and content', async () => {
      const { page } = console;
      await page.evaluate(`location.hash = '#/events'`);
      await page.getByText('Enter the id of an event').waitFor();
      await page.getByLabel('Search').fill(lookedUpEvent);
      const [, receipt] = await rowTexts(page, 'Receipts of acme');
      expect(receipt).to.include('stored');
      await page.getByRole('button', { name: /^Show event/ }).click();
      expect(await page.getByRole('region', { name: /^Event/ }).innerText()).to.include('"campaignId": "C-1"');
    });

    it('Registry shows each kind, and applies a file after it has shown the changes', async () => {
      const { page } = console;
      await console.show('registry');
      await page.getByLabel('Kind').selectOption('campaigns');
      await page.getByRole('table', { name: 'Campaigns' }).waitFor();
      await page.getByLabel('Search').fill('no such campaign');
      await page.getByText('No match').waitFor();
      await page.getByLabel('Search').fill('');
      await page.getByRole('button', { name: 'Upload a file' }).click();
      const upload = (content: string | Buffer) =>
        page.getByLabel('File (JSON)').setInputFiles({
          name: 'campaigns.json',
          mimeType: 'application/json',
          buffer: Buffer.from(content),
        });
      await upload('{"campaigns":');
      await page.getByRole('button', { name: 'Show the changes' }).click();
      await page.getByRole('alert').getByText('campaigns.json is not valid JSON').waitFor();
      await upload(Buffer.from('{"campaigns":[{"name":"Köln"}]}', 'latin1'));
      await page.getByRole('button', { name: 'Show the changes' }).click();
      await page.getByRole('alert').getByText('campaigns.json is not UTF-8').waitFor();
      await upload(JSON.stringify({ campaigns: [{ id: 909, external_id: 'C-9', name: 'Autumn', network: 101 }] }));
      await page.getByRole('button', { name: 'Show the changes' }).click();
      const changes = page.getByRole('list', { name: 'Changes' });
      await changes.getByText('created campaigns').waitFor();
      expect(await changes.innerText()).to.match(/name: Autumn/);
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByRole('table', { name: 'Campaigns' }).getByText('Autumn').waitFor();
    });

    it('Mappings tries a mapping with a sample, and saves it as a new version', async () => {
      const { page } = console;
      await console.show('workbench');
      const mapping = {
        vendor: 'acme',
        schema_version: 'test-1',
        fields: {
          screenId: { path: 'screen' },
          campaignId: { path: 'campaign' },
          creativeId: { path: 'file' },
          playedAt: { path: 'start', time: 'unix_s' },
          duration: { path: 'seconds', unit: 's' },
        },
      };
      await page.getByLabel('Mapping (JSON)').fill(JSON.stringify(mapping));
      const play = { screen: 'NL-1001', campaign: 'C-1', file: 'CR-1', start: 1_787_234_400, seconds: 10 };
      const rows = [play, { ...play, seconds: 'ten' }].map((row) => JSON.stringify(row));
      await page.getByLabel('Sample, as the vendor sends it').fill(rows.join('\n'));
      await page.getByRole('button', { name: 'Try' }).click();
      const fields = await rowTexts(page, 'Fields of the mapping');
      expect(fields.find((row) => row.startsWith('duration'))).to.match(/\s1\s+0\s+1\s/);
      expect((await rowTexts(page, 'Bad rows of the sample')).join('\n')).to.include('Row 2');
      expect(await page.getByLabel('First plays').innerText()).to.include('"screenId": "NL-1001"');
      await takeScreenshot(page, 'desktop-light-workbench-tried');
      await page.getByRole('button', { name: 'Save as a new version' }).click();
      await page.getByText('acme test-1: version 1 is in force.').waitFor();
      await page.evaluate(`location.hash = '#/mappings'`);
      expect((await rowTexts(page, 'Mappings')).join('\n')).to.match(/test-1\s+acme, network 101\s+1\s/);
    });

    it('times are shown in the zone of the browser, of the site, or in UTC', async () => {
      const { browser, baseUrl, token } = system();
      const { page, show, close } = await openConsole(browser, baseUrl, { timezoneId: 'America/New_York' });
      await signIn(page, token);
      await show('outages');
      const time = page.getByRole('table', { name: 'Outages', exact: true }).locator('time').first();
      const hourIn = async (timeZone: string) => {
        const at = Date.parse((await time.getAttribute('datetime'))!);
        return new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' }).format(at);
      };
      expect(await time.innerText()).to.include(await hourIn('America/New_York'));
      await page.getByLabel('Time zone').selectOption('site');
      expect(await time.innerText())
        .to.include(await hourIn('Europe/London'))
        .and.match(/ (GMT|BST)$/);
      await page.getByLabel('Time zone').selectOption('utc');
      expect(await time.innerText()).to.include(await hourIn('UTC'));
      await page.reload();
      await show('outages');
      expect(await time.innerText(), 'after a reload').to.include(await hourIn('UTC'));
      // As a browser that does not know the zone.
      await page.addInitScript(`
        const { DateTimeFormat } = Intl;
        Intl.DateTimeFormat = function (locale, options) {
          if (options?.timeZone === 'Europe/London') throw new RangeError('Invalid time zone specified');
          return new DateTimeFormat(locale, options);
        };`);
      await page.reload();
      await show('outages');
      await page.getByLabel('Time zone').selectOption('site');
      expect(await time.innerText(), 'in an unknown zone')
        .to.include(await hourIn('UTC'))
        .and.match(/ UTC$/);
      await close();
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
      await page.locator('.map-readout', { hasText: /^NL-1008, .+: (Playing|Online but silent)$/ }).waitFor();
      expect(await page.locator('.view-header').innerText()).to.match(/Plays in [\d.]+% of the [\d,]+ opening hours/);
      await page.getByLabel('Hours', { exact: true }).selectOption('168');
      await waitForExpression(
        page,
        `document.querySelector('[role="slider"]').getAttribute('aria-valuemax') === '167'`,
      );
    });
  });
};
