import { describedServers } from './described-servers.ts';

/** The descriptions that the servers give of themselves, by path. */
export const openApiPages: Readonly<Record<string, () => string>> = Object.fromEntries(
  describedServers.map(({ name, document }) => [
    `docs/reference/openapi/${name}.json`,
    () => `${JSON.stringify(document, null, 2)}\n`,
  ]),
);
