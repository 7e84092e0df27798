import type { ApiError } from '@popsvc/contracts/errors';
import {
  type FormFields,
  idParameter,
  idsParameter,
  instantParameter,
  integerParameter,
  noParameters,
  parseParameters,
  parseQuery,
  switchParameter,
} from '@popsvc/http-kit/server';
import { expect } from 'chai';
import { z } from 'zod';

const schemas = {
  params: z.object({ id: idParameter }),
  query: z.strictObject({
    limit: integerParameter(1, 5_000).default(100),
    site_id: idsParameter,
    since: instantParameter.optional(),
    sort: z.enum(['asc', 'desc']).optional(),
    dry_run: switchParameter,
  }),
};

const problemsOf = (parse: () => unknown): readonly string[] => {
  try {
    parse();
  } catch (error) {
    const { code, details } = error as ApiError;
    return [code, ...details.map(({ path, message }) => `${path} ${message}`)];
  }
  return [];
};
const problemsOfQuery = (query: FormFields) => problemsOf(() => parseQuery(schemas.query, query));

describe('the parameters of a request', () => {
  it('are parsed to numbers, lists, timestamps and booleans', () => {
    const query = {
      limit: '5000',
      site_id: ['2', '1'],
      since: '2026-08-01T02:00:00+02:00',
      sort: 'desc',
      dry_run: 'true',
    };
    expect(parseParameters(schemas, { params: { id: '9007199254740991' }, query })).to.deep.equal({
      params: { id: Number.MAX_SAFE_INTEGER },
      query: { limit: 5_000, site_id: [2, 1], since: Date.UTC(2026, 7, 1), sort: 'desc', dry_run: true },
    });
    expect(parseQuery(schemas.query, { site_id: ['7', '7'] })).to.deep.equal({
      limit: 100,
      site_id: [7],
      dry_run: false,
    });
  });

  it('are rejected together, unknown parameters first', () => {
    const request = {
      params: { id: '0' },
      query: { limit: '0', sort: 'up', siteid: '1', since: 'today', dry_run: '1' },
    };
    expect(problemsOf(() => parseParameters(schemas, request))).to.deep.equal([
      'INVALID_PARAM',
      'siteid is not a parameter of this endpoint',
      'id must be a positive whole number',
      'limit must be a whole number from 1 to 5000',
      'since must be an ISO 8601 timestamp with Z or an offset (write the plus sign of an offset as %2B)',
      'sort must be one of asc, desc',
      'dry_run must be one of true, false',
    ]);
  });

  it('that may not be repeated are rejected when they are', () => {
    expect(
      problemsOfQuery({ limit: ['1', '2'], sort: ['asc', 'asc'], since: ['x', 'y'], dry_run: ['true', 'true'] }),
    ).to.deep.equal([
      'INVALID_PARAM',
      'limit may be given only once',
      'since may be given only once',
      'sort may be given only once',
      'dry_run may be given only once',
    ]);
  });

  it('report one problem of a list, under the name of the parameter', () => {
    expect(problemsOfQuery({ site_id: ['1', 'x', '2', 'y'] })).to.deep.equal([
      'INVALID_PARAM',
      'site_id must be a positive whole number; repeat the parameter for several',
    ]);
  });

  it('reject numbers that are not written in plain decimal digits or exceed a double', () => {
    const invalid = [
      '',
      '-1',
      '+5',
      ' 5',
      '1.0',
      '1e3',
      '05',
      '0x10',
      '１',
      '9007199254740992',
      '99999999999999999999',
    ];
    for (const limit of invalid)
      expect(problemsOfQuery({ limit }), limit).to.deep.equal(problemsOfQuery({ limit: '0' }));
  });

  it('with the names of properties that all objects have are unknown parameters', () => {
    const query = JSON.parse('{"__proto__": "1", "constructor": "1"}') as FormFields;
    for (const schema of [noParameters, schemas.query])
      expect(problemsOf(() => parseQuery(schema, query))).to.deep.equal([
        'INVALID_PARAM',
        '__proto__ is not a parameter of this endpoint',
        'constructor is not a parameter of this endpoint',
      ]);
  });

  it('shorten the names of unknown parameters and list at most one hundred', () => {
    const long = problemsOfQuery({ ['x'.repeat(10_000)]: '1' });
    expect(long[1]!.length).to.be.lessThan(300);
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`p${index}`, '1']));
    expect(problemsOfQuery(many)).to.have.lengthOf(101);
  });
});
