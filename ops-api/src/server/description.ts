import type { ServiceDescription } from '@popsvc/platform/openapi';

/** What this server says of itself at `/openapi.json`. */
export const opsDescription: ServiceDescription = {
  title: 'popsvc operations',
  version: '1.0.0',
  about: 'What operators ask and change: the registry, credentials, mappings, and what became of events and jobs.',
  chapters: [
    {
      name: 'Overview',
      about: 'How the service is, now and as it changes.',
      paths: ['/ops/v1/overview', '/ops/v1/live'],
    },
    { name: 'Session', about: 'Of operators whose browser holds no token.', paths: ['/ops/v1/session'] },
    {
      name: 'Registry',
      about: 'Networks, sites, devices and what belongs to them.',
      paths: ['/ops/v1/registry', '/ops/v1/networks'],
    },
    { name: 'Credentials', about: 'API keys and clients.', paths: ['/ops/v1/api-keys', '/ops/v1/clients'] },
    { name: 'Analysts', about: 'Logins of people who ask in SQL.', paths: ['/ops/v1/analysts'] },
    { name: 'Mappings', about: "How vendors' own schemas become plays.", paths: ['/ops/v1/mappings'] },
    {
      name: 'Events',
      about: 'What became of events.',
      paths: ['/ops/v1/events', '/ops/v1/conflicts', '/ops/v1/quarantine', '/ops/v1/balance'],
    },
    { name: 'Jobs', about: 'Bulk jobs.', paths: ['/ops/v1/jobs'] },
    {
      name: 'Projections',
      about: 'How far the read models are, and how they are built anew.',
      paths: ['/ops/v1/projections', '/ops/v1/replays'],
    },
    {
      name: 'Parked events',
      about: 'Events that could not be projected, and what becomes of them.',
      paths: ['/ops/v1/parked'],
    },
    {
      name: 'Status',
      about: 'Devices and feeders: which are online, when they were not, and when screens played.',
      paths: ['/ops/v1/devices', '/ops/v1/outages', '/ops/v1/completeness'],
    },
    { name: 'Doctor', about: 'What is wrong, and what to do about it.', paths: ['/ops/v1/doctor'] },
    { name: 'Service', about: 'Probes and this description.', paths: ['/'] },
  ],
};
