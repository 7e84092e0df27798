import { createApiKey } from '@popsvc/platform/auth';
import { alternate } from '../harness/alternate.ts';
import { compare } from '../harness/compare.ts';
import { measure, type Work } from '../harness/processes.ts';
import { type Scenario, sliceMs, warmUpMs } from '../harness/scenario.ts';
import { cpuPerUnit, type Side } from '../harness/slice.ts';
import type { Doors } from '../testbed/doors.ts';
import { connections } from '../testbed/intake.ts';
import { withRecords } from '../testbed/records.ts';
import type { PostRequests } from '../traffic/post-requests.ts';
import { network, vendor } from '../traffic/registry.ts';
import { unlimitedRates } from '../traffic/unlimited.ts';

export const auth: Scenario = {
  name: 'auth',
  about: 'POST of one play that is checked, by API key and by access token, held against the same without either',
  async run(rig, { pairs }) {
    const databaseUrl = await rig.postgres();
    const { apiKey } = await withRecords(databaseUrl, (postgres) =>
      createApiKey(postgres, { vendor, networkId: network, ...unlimitedRates }),
    );
    const server = rig.worker(new URL('../testbed/doors.js', import.meta.url));
    const { port, accessToken } = await server.request<Doors>(databaseUrl);
    const load = rig.worker(new URL('../traffic/post-requests.js', import.meta.url));
    const side = (name: string, credential: Readonly<Record<string, string>>): Side => {
      const headers = { 'content-type': 'application/json', ...credential };
      const url = `http://127.0.0.1:${port}/${name}`;
      const asked: PostRequests = { url, status: 202, headers, events: 1, connections, forMs: sliceMs };
      return { name, slice: () => measure({ server: server.pid }, () => load.request<Work>(asked)) };
    };
    const sides = [
      side('open', {}),
      side('keyed', { 'x-api-key': apiKey }),
      side('tokened', { authorization: `Bearer ${accessToken}` }),
    ];
    const blocks = await alternate({ sides, pairs, warmUpMs });
    const times = { unit: 'µs', baseline: 'open', reading: 'times', of: cpuPerUnit() } as const;
    return {
      measures: [
        compare(blocks, { ...times, name: 'CPU of a request, API key', system: 'keyed' }),
        compare(blocks, { ...times, name: 'CPU of a request, token', system: 'tokened' }),
      ],
      metrics: [],
    };
  },
};
