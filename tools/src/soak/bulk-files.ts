import { setTimeout as sleep } from 'node:timers/promises';
import type { Chance } from '../rig/chance.ts';
import { bulkClient, type BulkUpload } from '../rig/bulk-client.ts';
import type { Access } from './access.ts';
import type { Ledger } from './ledger.ts';
import type { OwnEvent, Vendor } from './vendor.ts';
import type { SoakNetwork } from './world.ts';

const patienceMs = 5 * 60_000;
const unreadable = '{"id":"never","screen":';

const csvOf = (events: readonly OwnEvent[]): string =>
  ['id,screen,start,seconds,length', ...events.map((event) => Object.values(event).join(','))].join('\n');

/** Hands over a file of plays in the vendor's own schema, from the beginning again where that is broken off. */
export const bulkFiles =
  (access: Access, ledger: Ledger, { below, next }: Chance, complain: (text: string) => void) =>
  async (network: SoakNetwork, vendor: Vendor): Promise<void> => {
    const { events, plays } = vendor.own(100 + below(400), Date.now());
    const format = next() < 0.5 ? 'csv' : 'ndjson';
    const bad = format === 'ndjson' && next() < 0.5 ? [unreadable] : [];
    const lines = () => [...events.map((event) => JSON.stringify(event)), ...bad].join('\n');
    const upload: BulkUpload = { format, body: format === 'csv' ? csvOf(events) : lines(), schemaVersion: 'soak-1' };
    ledger.sends(network, plays);
    for (;;) {
      try {
        const { ingest_base_url } = access.service().credentials;
        const job = await bulkClient(ingest_base_url, access.keyOf(network)).ingest(upload, patienceMs);
        ledger.tried('file', 'ok');
        const [good, errors] = [job.processedRows, job.errorRows];
        if (good !== plays.length || errors !== bad.length)
          complain(
            `a ${format} file of ${plays.length} good rows and ${bad.length} bad ones ended ${job.status} with ${good} and ${errors}`,
          );
        const ids = plays.map(({ id }) => id);
        ledger.acknowledged(network, ids, Date.now());
        return;
      } catch (error) {
        const text = String(error);
        const isRefused = /answered (400|401|403|404|409|413|415)/.test(text);
        ledger.tried('file', isRefused ? 'fail' : 'unknown');
        if (isRefused || /answered 500|not after/.test(text)) complain(`a file: ${text}`);
        if (isRefused) return;
        await sleep(2_000);
      }
    }
  };
