import { createApiKey } from '@popsvc/platform/auth';
import type { Work } from '../harness/processes.ts';
import { sliceMs } from '../harness/scenario.ts';
import type { PostRequests } from '../traffic/post-requests.ts';
import { network, vendor } from '../traffic/registry.ts';
import { unlimitedRates } from '../traffic/unlimited.ts';
import { withRecords } from './records.ts';
import type { Testbed } from './rig.ts';
import type { RunningService } from './service.ts';

export const connections = 16;
export const intakePath = '/popsvc/v1/pop/events';

type Post = Pick<PostRequests, 'url' | 'events'> & Partial<PostRequests>;

export interface IntakeRig {
  readonly service: RunningService;
  /** Where plays are told, where they are stored. */
  readonly url: string;
  readonly headers: PostRequests['headers'];
  /** The same, where they are checked and no more. */
  readonly checkedUrl: string;
  /** Requests for the length of a slice, by default of the standard vendor and as many at a time as there are connections. */
  readonly post: (asked: Post) => Promise<Work>;
}

/** command-api on the rig's engines, and whoever sends it plays. */
export const openIntake = async (rig: Testbed): Promise<IntakeRig> => {
  const service = await rig.service('command-api');
  const key = await withRecords(await rig.postgres(), (postgres) =>
    createApiKey(postgres, { vendor, networkId: network, ...unlimitedRates }),
  );
  const load = rig.worker(new URL('../traffic/post-requests.js', import.meta.url));
  const headers = { 'x-api-key': key.apiKey, 'content-type': 'application/json' };
  const url = service.url + intakePath;
  return {
    service,
    url,
    headers,
    checkedUrl: `${url}?validate_only=true`,
    post: (asked) => load.request<Work>({ status: 202, headers, connections, forMs: sliceMs, ...asked }),
  };
};
