import { allDatasets, typedColumns } from '@popsvc/read-models/datasets';
import { expect } from 'chai';
import { readCsv } from './csv-reader.fixture.ts';
import { expectRefused } from './refusals.fixture.ts';
import { bearer, startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly formats: readonly string[];
  readonly [field: string]: unknown;
}

interface Dictionary {
  readonly data: {
    readonly datasets: readonly {
      readonly name: string;
      readonly columns: readonly Column[];
      readonly hierarchies: readonly {
        readonly name: string;
        readonly levels: readonly { readonly key: string; readonly label: string }[];
      }[];
    }[];
  };
}

describe('GET /api/v1/data-dictionary', () => {
  let api: TestQueryApi;
  let token: string;
  const request = (more = '') => api.get(`/api/v1/data-dictionary${more}`, bearer(token));

  before(async () => {
    api = await startTestQueryApi();
    await api.register([{ id: 1, name: 'One' }]);
    ({ token } = await api.client(1));
  });
  after(() => api.close());

  it('describes every column of every report', async () => {
    const { data } = (await (await request()).json()) as Dictionary;
    expect(data.datasets.map(({ name, columns }) => [name, columns.map((column) => column.name)])).deep.equal(
      allDatasets.map((dataset) => [dataset.name, typedColumns(dataset).map(({ name }) => name)]),
    );
    const coffee = data.datasets[0]!;
    const inText = coffee.columns.filter(({ formats }) => formats.includes('csv'));
    expect(inText.map(({ name }) => name)).deep.equal(allDatasets[0]!.columns.map(({ name }) => name));
    const named = (name: string) => coffee.columns.find((column) => column.name === name);
    expect(named('SITE_NAME')).deep.equal({
      name: 'SITE_NAME',
      type: 'string',
      parquet_type: 'STRING',
      formats: ['json', 'csv', 'ndjson', 'parquet'],
      is_nullable: true,
      about: 'site name',
      values: null,
      hierarchies: [{ hierarchy: 'place', level: 2, role: 'label' }],
    });
    expect(named('GENDER')).deep.include({ values: ['male', 'female', 'unknown'] });
    expect(named('HOUR_SITE_TZ')).deep.include({ is_nullable: false });
    expect(named('DISTANCE')).deep.include({ is_nullable: true, parquet_type: 'LIST<DOUBLE>' });
    expect(named('DT_END_SITE_TZ_OFFSET_MINUTES')).deep.include({ formats: ['parquet'], parquet_type: 'INT32' });
  });

  it('names only columns of Parquet files in hierarchies, from the network to the feeder or camera', async () => {
    const { data } = (await (await request()).json()) as Dictionary;
    for (const { columns, hierarchies } of data.datasets) {
      const names = columns.map(({ name }) => name);
      for (const { levels } of hierarchies)
        expect(names).include.members(levels.flatMap(({ key, label }) => [key, label]));
    }
    const placeKeys = data.datasets.map(({ hierarchies }) =>
      hierarchies.find(({ name }) => name === 'place')!.levels.map(({ key }) => key),
    );
    const places = ['NETWORK_ID', 'SITE_ID', 'LOCATION_ID', 'DEVICE_ID'];
    expect(placeKeys).deep.equal([
      [...places, 'FEEDER_ID'],
      [...places, 'CAM_ID'],
    ]);
  });

  it('is the same as CSV', async () => {
    const { data } = (await (await request()).json()) as Dictionary;
    const answer = await request('?format=csv');
    expect(answer.headers.get('content-type')).equal('text/csv; charset=utf-8');
    const [header, ...rows] = readCsv(await answer.text());
    expect(header).deep.equal(
      'dataset,position,name,type,parquet_type,formats,is_nullable,about,values,hierarchies'.split(','),
    );
    expect(rows.map((row) => [row[0], row[2]])).deep.equal(
      data.datasets.flatMap(({ name, columns }) => columns.map((column) => [name, column.name])),
    );
    const gender = rows.find((row) => row[2] === 'GENDER');
    expect(gender?.slice(3, 9)).deep.equal([
      'string',
      'STRING',
      'json|csv|ndjson|parquet',
      'true',
      'detected gender',
      'male|female|unknown',
    ]);
    expect(rows.find((row) => row[2] === 'SITE_ID')?.at(-1)).equal('place.2.key');
  });

  it('rejects other formats and requests without a credential', async () => {
    await expectRefused(await request('?format=parquet'), 400, 'INVALID_PARAM', 'format');
    expect((await api.get('/api/v1/data-dictionary', {})).status).equal(401);
  });
});
