import { createConfig, lintFromString, type NormalizedProblem } from '@redocly/openapi-core';
import { expect } from 'chai';
import { describedServers } from '@popsvc/tools/reference-pages';

/** Rules that do not hold here, and why. */
const exceptions = {
  // Beside 4xx of its own, every operation has the one of `default`; probes and public pages have no other.
  'operation-4xx-response': 'off',
  // The document is served by the very server it tells of.
  'no-server-example.com': 'off',
} as const;

const told = ({ ruleId, severity, message, location }: NormalizedProblem): string =>
  `${severity} ${ruleId}: ${message} (${location[0]?.pointer ?? ''})`;

describe('the OpenAPI documents', () => {
  for (const { name, document } of describedServers)
    it(`of ${name} pass the recommended rules of Redocly`, async () => {
      const config = await createConfig({ extends: ['recommended'], rules: exceptions });
      const problems = await lintFromString({ source: JSON.stringify(document), config });
      expect(problems.map(told)).to.deep.equal([]);
    });

  it('are looked at by a linter that finds what is wrong', async () => {
    const config = await createConfig({ extends: ['recommended'], rules: exceptions });
    const [{ document } = { document: {} }] = describedServers;
    const broken = { ...document, paths: { '/x/{id}': { get: { responses: { 200: { description: 'Done.' } } } } } };
    const problems = await lintFromString({ source: JSON.stringify(broken), config });
    expect(problems.map(({ ruleId }) => ruleId)).to.include('path-parameters-defined');
  });
});
