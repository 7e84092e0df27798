import type { ServiceDescription } from '@popsvc/platform/openapi';

/** What this server says of itself at `/openapi.json`. */
export const opsDescription: ServiceDescription = {
  title: 'popsvc operations',
  version: '1.0.0',
  about: 'What operators ask and change: the registry, credentials, mappings, and what became of events and jobs.',
  chapters: [
    { name: 'Registry', about: 'Networks, sites, devices and what belongs to them.', paths: ['/ops/v1/registry'] },
    { name: 'Credentials', about: 'API keys and clients.', paths: ['/ops/v1/api-keys', '/ops/v1/clients'] },
    { name: 'Mappings', about: "How vendors' own schemas become plays.", paths: ['/ops/v1/mappings'] },
    {
      name: 'Events',
      about: 'What became of events.',
      paths: ['/ops/v1/events', '/ops/v1/conflicts', '/ops/v1/quarantine', '/ops/v1/balance'],
    },
    { name: 'Jobs', about: 'Bulk jobs.', paths: ['/ops/v1/jobs'] },
    { name: 'Projections', about: 'How far the read models are.', paths: ['/ops/v1/projections'] },
    { name: 'Status', about: 'Devices and feeders that are or were offline.', paths: ['/ops/v1/outages'] },
    { name: 'Service', about: 'Probes and this description.', paths: ['/'] },
  ],
};
