import { cpuPerUnit, type Side, sliceMs, warmUpMs } from '../harness/slices.ts';
import { createApiKey } from '@popsvc/http-kit/auth';
import { alternate, compare } from '../harness/comparison.ts';
import { measureSlice, type Work } from '../harness/process-usage.ts';
import { type Scenario } from './scenario.ts';
import type { AuthServer } from '../testbed/auth-server.ts';
import { connections } from '../testbed/systems.ts';
import { withPostgres } from '../testbed/engines.ts';
import type { PostRequests } from '../traffic/post-requests.ts';
import { network, unlimitedRates, vendor } from '../traffic/network.ts';

export const auth: Scenario = {
  name: 'auth',
  about: 'POST of one validated play with an API key and with an access token, compared with no authentication',
  async run(rig, { pairs }) {
    const databaseUrl = await rig.postgres();
    const { apiKey } = await withPostgres(databaseUrl, (postgres) =>
      createApiKey(postgres, { vendor, networkId: network, ...unlimitedRates }),
    );
    const server = rig.worker(new URL('../testbed/auth-server.js', import.meta.url));
    const { port, accessToken } = await server.request<AuthServer>(databaseUrl);
    const load = rig.worker(new URL('../traffic/post-requests.js', import.meta.url));
    const side = (name: string, credential: Readonly<Record<string, string>>): Side => {
      const headers = { 'content-type': 'application/json', ...credential };
      const url = `http://127.0.0.1:${port}/${name}`;
      const request: PostRequests = { url, status: 202, headers, events: 1, connections, forMs: sliceMs };
      return { name, slice: () => measureSlice({ server: server.pid }, () => load.request<Work>(request)) };
    };
    const sides = [
      side('open', {}),
      side('keyed', { 'x-api-key': apiKey }),
      side('tokened', { authorization: `Bearer ${accessToken}` }),
    ];
    const blocks = await alternate({ sides, pairs, warmUpMs });
    const times = { unit: 'µs', baseline: 'open', reading: 'times', cost: cpuPerUnit() } as const;
    return {
      measures: [
        compare(blocks, { ...times, name: 'CPU of a request, API key', system: 'keyed' }),
        compare(blocks, { ...times, name: 'CPU of a request, token', system: 'tokened' }),
      ],
      figures: [],
    };
  },
};
