import type { ServiceDescription } from '@popsvc/platform/openapi';

/** What this service says of itself at `/openapi.json`. */
export const commandApiDescription: ServiceDescription = {
  title: 'popsvc ingestion',
  version: '1.0.0',
  description:
    'What vendors push: plays, heartbeats, intervals, detections, and bulk files of plays.\n\n' +
    'A request is taken in whole or not at all, and `202` means that all of it is durable. The vendor and the network are those ' +
    'of the API key. With an `Idempotency-Key` a request may be repeated without harm.',
  groups: [
    { name: 'Plays', description: 'Proof-of-play events.', paths: ['/popsvc/v1/pop'] },
    {
      name: 'Signs of life',
      description: 'Heartbeats and intervals.',
      paths: ['/popsvc/v1/heartbeats', '/popsvc/v1/intervals'],
    },
    { name: 'Audience', description: 'Detections of people and vehicles.', paths: ['/popsvc/v1/audience'] },
    {
      name: 'Bulk files',
      description: 'Files of plays in a schema of your own: ask for an address, upload, ingest, look how far it is.',
      paths: ['/popsvc/v1/pop/dynamic/bulk', '/popsvc/v1/uploads'],
    },
    { name: 'Service', description: 'Probes and this description.', paths: ['/'] },
  ],
};
