import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Service, startService } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { blocksOf } from '../e2e/guide-blocks.fixture.ts';
import { queryClickHouse } from '../support/engines.ts';

const page = 'docs/guides/analysts.md';
const simulator = fileURLToPath(new URL('../../../tools/dist/simulator/main.js', import.meta.url));
const quickStart = blocksOf(page, 'sh')[0]!;

/** The times of freshness are those of the run. */
const withoutTimes = (line: string): string => line.replace(/"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}"/, '"TIME"');

describe('The results in the guide for analysts', function () {
  this.timeout(300_000);
  let service: Service;
  before(async () => {
    service = await startService();
    const [, options = ''] = /^npm run simulate -- (.*)$/m.exec(quickStart)!;
    const env = { ...process.env, DATA_DIR: service.dataDir };
    await promisify(execFile)(process.execPath, [simulator, ...options.split(' ')], { env });
  });
  after(() => service.stop());

  const resultOf = async (sql: string): Promise<readonly string[]> => {
    const { clickhouseAnalyst: password } = JSON.parse(
      await readFile(join(service.dataDir, 'secrets.json'), 'utf8'),
    ) as {
      readonly clickhouseAnalyst: string;
    };
    const url = `${service.endpoints.analysts}/?database=analysts_popsvc&default_format=CSVWithNames&wait_end_of_query=1`;
    const { text } = await queryClickHouse(url, { username: 'analyst', password }, sql);
    return text.split('\n');
  };

  it('begin with the plays of the simulated days, as soon as the simulation has ended', async () => {
    const [, sql = ''] = /<<'SQL'\n([^]*)\nSQL\n/.exec(`${quickStart}\n`)!;
    expect(await resultOf(sql)).to.deep.equal(blocksOf(page, 'text')[0]!.trimEnd().split('\n'));
  });

  for (const block of blocksOf(page, 'sql')) {
    const [sql = '', comments = ''] = block.split(';\n');
    it(`are those of the query that selects ${/SELECT (.*)/.exec(sql)![1]!.slice(0, 60)}`, async () => {
      const shown = comments
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/^-- /, ''));
      const rows = await resultOf(sql);
      if (shown[0] === 'No rows') expect(rows).to.have.length(1);
      else expect(rows.slice(0, shown.length).map(withoutTimes)).to.deep.equal(shown.map(withoutTimes));
    });
  }
});
