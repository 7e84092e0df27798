import { createConfig, lintFromString, type NormalizedProblem } from '@redocly/openapi-core';
import { expect } from 'chai';
import { describedServers } from '@popsvc/tools/reference-pages';

/** Rules that are switched off, and why. */
const exceptions = {
  // Errors that every operation has are in `default`; probes and public pages have no other.
  'operation-4xx-response': 'off',
  // The document is served by the described server.
  'no-server-example.com': 'off',
} as const;

const formatProblem = ({ ruleId, severity, message, location }: NormalizedProblem): string =>
  `${severity} ${ruleId}: ${message} (${location[0]?.pointer ?? ''})`;

describe('the OpenAPI documents', () => {
  for (const { name, document } of describedServers)
    it(`of ${name} pass the recommended rules of Redocly`, async () => {
      const config = await createConfig({ extends: ['recommended'], rules: exceptions });
      const problems = await lintFromString({ source: JSON.stringify(document), config });
      expect(problems.map(formatProblem)).to.deep.equal([]);
    });

  it('are checked by a linter that finds a planted problem', async () => {
    const config = await createConfig({ extends: ['recommended'], rules: exceptions });
    const [{ document } = { document: {} }] = describedServers;
    const broken = { ...document, paths: { '/x/{id}': { get: { responses: { 200: { description: 'Done.' } } } } } };
    const problems = await lintFromString({ source: JSON.stringify(broken), config });
    expect(problems.map(({ ruleId }) => ruleId)).to.include('path-parameters-defined');
  });
});
