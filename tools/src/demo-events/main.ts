import { join } from 'node:path';
import { readJsonFile } from '@popsvc/platform/runtime';
import { z } from 'zod';
import { createTestPartner, waitUntil } from '../rig/clients.ts';
import { demoDay, sendDemoEvents } from './demo-events.ts';

const Credentials = z.object({ query_base_url: z.string(), ingest_base_url: z.string(), api_key: z.string() });

const path = join(process.env['DATA_DIR'] || '.data', 'demo-credentials.json');
const written = await readJsonFile(path);
if (written === undefined)
  throw new Error(`${path} does not exist: run npm start in this folder first, or set DATA_DIR`);
const { client } = createTestPartner(Credentials.parse(written));
await sendDemoEvents(client, new Date());
const { window, coffeeRows, watcherSummaryRows } = demoDay;
await waitUntil(
  async () => [(await client.coffeePage(window)).total, (await client.watcherSummaryPage(window)).total],
  ([coffee = 0, watchers = 0]) => coffee >= coffeeRows && watchers >= watcherSummaryRows,
);
process.stdout.write(
  `The reports of 21 August 2026 contain ${coffeeRows} plays and ${watcherSummaryRows} detection.\n`,
);
