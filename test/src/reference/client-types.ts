import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { describedServers } from '../openapi/described-servers.ts';

const note = (name: string) =>
  `/** Generated from docs/reference/openapi/${name}.json by \`npm run reference\`; a test fails when this file is stale. */\n`;

/** What the servers partners and vendors talk to say of themselves, as types of the client, by path. */
export const clientTypes: Readonly<Record<string, () => Promise<string>>> = Object.fromEntries(
  describedServers
    .filter(({ name }) => name !== 'ops')
    .map(({ name, document }) => [
      `client/src/generated/${name}.ts`,
      async () => note(name) + astToString(await openapiTS(structuredClone(document) as unknown as OpenAPI3)),
    ]),
);
