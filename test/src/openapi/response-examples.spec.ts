import { jsonResponse } from '@popsvc/http-kit/server';
import { buildOpenApiDocument } from '@popsvc/http-kit/openapi';
import { describedServers } from '@popsvc/tools/reference-pages';
import { expect } from 'chai';
import { z } from 'zod';
import { get } from '../http/server.fixture.ts';
import { findExampleProblems, responseBodies } from './example-check.fixture.ts';

const route = get('/planted', () => jsonResponse(200, {}), {
  operationId: 'getPlanted',
  schemas: {
    responses: { 200: z.object({ count: z.int(), key: z.string().optional() }) },
    otherResponses: { 'text/csv': 'Rows.', 'application/vnd.apache.parquet': 'Rows.' },
  },
});
const csv = { '200 text/csv': 'count\n1' };
const problemsOf = (examples?: Readonly<Record<string, unknown>>): readonly string[] =>
  findExampleProblems(
    buildOpenApiDocument(
      {
        title: 'planted',
        description: 'One route.',
        groups: [],
        ...(examples && { responseExamples: { getPlanted: examples } }),
      },
      [route],
    ),
  );

describe('the examples of response bodies', () => {
  for (const { name, document } of describedServers)
    it(`of ${name} exist for every body that is not binary, and match the closed schemas`, () => {
      expect(responseBodies(document)).to.have.length.greaterThan(200);
      expect(findExampleProblems(document)).to.deep.equal([]);
    });

  it('are accepted if they match', () => {
    expect(problemsOf({ ...csv, '200 application/json': { count: 1 } })).to.deep.equal([]);
  });

  it('are reported if they are missing', () => {
    expect(problemsOf()).to.deep.equal([
      'GET /planted 200 application/json: has no example',
      'GET /planted 200 text/csv: has no example',
    ]);
  });

  for (const [what, example, complaint] of [
    ['lack a field', {}, "must have required property 'count'"],
    ['have an undocumented field', { count: 1, more: 1 }, 'must NOT have additional properties'],
    ['have a value of another type', { count: '1' }, '/count must be integer'],
    ['have a secret', { count: 1, key: `acme_sk_${'0'.repeat(36)}` }, 'the secret acme_sk_00000000'],
  ] as const)
    it(`are reported if they ${what}`, () => {
      const [problem, ...others] = problemsOf({ ...csv, '200 application/json': example });
      expect(problem).to.include('GET /planted 200 application/json: ').and.include(complaint);
      expect(others).to.deep.equal([]);
    });
});
