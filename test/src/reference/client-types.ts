import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { describedServers } from '../openapi/described-servers.ts';

const note = (name: string) =>
  `/** Generated from docs/reference/openapi/${name}.json by \`npm run reference\`; a test fails when this file is stale. */\n`;

/** Who talks to which server: partners and vendors by the client, operators by the console. */
const folderOf = (name: string) => (name === 'ops' ? 'console' : 'client');

/** What the servers say of themselves, as types of those who talk to them, by path. */
export const clientTypes: Readonly<Record<string, () => Promise<string>>> = Object.fromEntries(
  describedServers.map(({ name, document }) => [
    `${folderOf(name)}/src/generated/${name}.ts`,
    async () => note(name) + astToString(await openapiTS(structuredClone(document) as unknown as OpenAPI3)),
  ]),
);
