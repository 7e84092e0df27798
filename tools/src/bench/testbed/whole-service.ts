import { setTimeout as sleep } from 'node:timers/promises';
import { createApiKey } from '@popsvc/platform/auth';
import { openEventStore } from '@popsvc/platform/event-store';
import { fillRegistry } from '../traffic/fill-log.ts';
import { network, vendor } from '../traffic/registry.ts';
import { unlimitedRates } from '../traffic/unlimited.ts';
import { withRecords } from './records.ts';
import type { Testbed } from './rig.ts';
import type { RunningService } from './service.ts';

/** What one vendor and one partner see of the three services. */
export interface WholeService {
  /** Sends plays; resolves when they are accepted. */
  readonly push: (plays: readonly unknown[]) => Promise<void>;
  /** A page of coffee, as it is sent; `query` are its parameters. */
  readonly page: (query: string) => Promise<string>;
  readonly projectors: RunningService;
}

const patienceMs = 30_000;

export const openWholeService = async (rig: Testbed): Promise<WholeService> => {
  const store = openEventStore({ url: (await rig.eventStore()).url });
  await fillRegistry(store);
  await store.close();
  const projectors = await rig.service('projectors');
  const [intake, reports] = [await rig.service('command-api'), await rig.service('query-api')];
  const key = await withRecords(await rig.postgres(), (postgres) =>
    createApiKey(postgres, { vendor, networkId: network, ...unlimitedRates }),
  );
  const headers = { 'x-api-key': key.apiKey };
  const asked = async (url: string, status: number, init: RequestInit = {}): Promise<string> => {
    const response = await fetch(url, { ...init, headers: { ...headers, 'content-type': 'application/json' } });
    const text = await response.text();
    if (response.status !== status) throw new Error(`${url} answered ${response.status}: ${text}`);
    return text;
  };
  const whole: WholeService = {
    projectors,
    async push(plays) {
      const body = JSON.stringify({ events: plays });
      await asked(`${intake.url}/popsvc/v1/pop/events`, 202, { method: 'POST', body });
    },
    page: (query) => asked(`${reports.url}/api/v1/coffee?${query}`, 200),
  };
  // Until the network is projected nobody may read its reports.
  const until = performance.now() + patienceMs;
  const isOpen = () => whole.page('from=2026-01-01&to=2026-01-02').then(() => true);
  while (!(await isOpen().catch(() => performance.now() > until))) await sleep(100);
  return whole;
};
