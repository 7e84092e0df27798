import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { coffeeDataset } from '@popsvc/read-models/datasets';
import type { ImportCounts } from '@popsvc/cli/import';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { createTestPartner, type Service, temporaryFolder, waitUntil } from '@popsvc/tools/rig';

const data = (name: string) => fileURLToPath(new URL(`../../data/${name}`, import.meta.url));
const popsvc = fileURLToPath(new URL('../../../cli/bin/popsvc.js', import.meta.url));

interface Imported {
  readonly plays: ImportCounts;
}

/**
 * Files in a real layout, through the importer, the public HTTP interface and the reports. Expects that network 1 has no events of
 * 13 to 15 September 2026.
 */
export const realInputTests = (running: () => Service): void => {
  describe('a day of real input', function () {
    let service: Service;
    let imported: Imported;
    let rows: Record<string, string>[];
    const period = { from: '2026-09-13', to: '2026-09-16' };

    const run = async (...args: readonly string[]): Promise<string> => {
      const env = { ...process.env, DATA_DIR: service.dataDir };
      return (await promisify(execFile)(process.execPath, [popsvc, ...args], { env, maxBuffer: 1e8 })).stdout;
    };

    before(async function () {
      this.timeout(600_000);
      service = running();
      const registryFile = join(await temporaryFolder('registry'), 'registry.json');
      writeFileSync(registryFile, gunzipSync(readFileSync(data('registry.json.gz'))));
      const registry = ['--registry', registryFile];
      const detections = ['--detections', data('detections-2026-09-14.ndjson.gz')];
      const playout = data('playout-digital-2026-09-14.csv.gz');
      imported = JSON.parse(await run('import', 'playout', playout, ...registry, ...detections, '--json')) as Imported;
      const client = JSON.parse(await run('clients', 'create', '--networks', '90', '--json')) as Record<string, string>;
      const { token_url, query_base_url } = service.credentials;
      const form = new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: client['client_id']!,
        client_secret: client['client_secret']!,
      });
      const token = (await (await fetch(token_url, { method: 'POST', body: form })).json()) as { access_token: string };
      const read = (path: string) =>
        fetch(`${query_base_url}/api/v1/${path}`, { headers: { authorization: `Bearer ${token.access_token}` } });
      const page = new URLSearchParams({ ...period, limit: '1' }).toString();
      const csv = () =>
        read(`coffee/download?${new URLSearchParams(period).toString()}`).then((answer) => answer.text());
      const records = (text: string) =>
        parse<Record<string, string>>(text, { columns: true, record_delimiter: '\r\n' });
      const countRows = async () =>
        ((await (await read(`coffee?${page}`)).json()) as { data: { total: number } }).data.total;
      rows = await waitUntil(
        // A download takes seconds, so the rows are counted first.
        async () => ((await countRows()) > 22_000 ? records(await csv()) : []),
        (seen) => new Set(seen.map((row) => row['EVENT_ID'])).size === 18_855 && seen.length > 22_000,
        500_000,
      );
    });

    it('is imported with a report of its bad rows', () => {
      const { rows: read, good, distinct, bad_rows } = imported.plays;
      expect({ read, good, distinct }).to.deep.equal({ read: 18_922, good: 18_915, distinct: 18_855 });
      expect(bad_rows.map(({ row }) => row)).to.deep.equal([889, 1_312, 2_943, 3_280, 10_802, 11_497, 14_720]);
      expect(bad_rows.every(({ reason }) => reason.length > 10)).to.equal(true);
    });

    it('has each play once in the report', () => {
      const plays = new Set(rows.map((row) => `${row['MEDIA_PLAYER_NAME']}/${row['EVENT_ID']}`));
      const [seen, unseen] = [
        rows.filter((row) => row['WATCHERID'] !== ''),
        rows.filter((row) => row['WATCHERID'] === ''),
      ];
      const unseenPlays = new Set(unseen.map((row) => row['EVENT_ID']));
      const seenPlays = new Set(seen.map((row) => row['EVENT_ID']));
      process.stdout.write(
        `      ${rows.length} rows: ${plays.size} plays, ${seenPlays.size} of them with watchers, ${unseenPlays.size} without\n`,
      );
      expect(plays.size).to.equal(18_855);
      expect(unseen).to.have.lengthOf(unseenPlays.size);
      expect(unseenPlays.size + seenPlays.size).to.equal(18_855);
      expect(seen.length).to.be.greaterThan(4_000);
    });

    it('has watchers only on the two Quayside screens', () => {
      const watched = new Set(rows.filter((row) => row['WATCHERID'] !== '').map((row) => row['DEVICE_NAME']));
      expect([...watched].sort()).to.deep.equal(['Quayside entrance', 'Quayside food hall']);
    });

    it('has all columns with names and titles, and flags that imply each other', () => {
      expect(Object.keys(rows[0]!)).to.deep.equal(coffeeDataset.columns.map(({ name }) => name));
      expect(
        rows.every((row) => row['CAMPAIGN_NAME'] !== '' && row['TITLE'] !== '' && row['SITE_NAME'] !== ''),
      ).to.equal(true);
      expect(new Set(rows.map((row) => row['PLAY_REASON']))).to.deep.equal(new Set(['scheduled', 'triggered']));
      for (const row of rows) {
        const flags = ['IS_VIEW_THROUGH', 'IS_VIEW', 'IS_GLANCE', 'IS_WATCHED'].map((name) => Number(row[name]));
        expect(flags).to.deep.equal([...flags].sort((a, b) => a - b));
        expect(Number(row['IS_GLANCE'])).to.be.at.most(Number(row['IS_IMPRESSION']));
      }
    });

    it('is not visible to another network', async () => {
      const { client } = createTestPartner(service.credentials);
      expect((await client.coffeePage(period)).total).to.equal(0);
    });
  });
};
