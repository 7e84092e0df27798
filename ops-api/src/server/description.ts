import type { ServiceDescription } from '@popsvc/http-kit/openapi';
import responseExamples from './response-examples.json' with { type: 'json' };

export const opsDescription: ServiceDescription = {
  title: 'popsvc operations',
  description:
    'For operators: the registry, credentials and mappings; the outcome of events and jobs; the state of the service.',
  groups: [
    {
      name: 'Overview',
      description: 'The state of the service.',
      paths: ['/ops/v1/overview'],
    },
    { name: 'Session', description: 'Sessions of operators in a browser.', paths: ['/ops/v1/session'] },
    {
      name: 'Accounts',
      description: 'Local accounts of operators, and the audit log of their actions.',
      paths: ['/ops/v1/accounts', '/ops/v1/audit'],
    },
    {
      name: 'Registry',
      description: 'Networks, sites, devices and what belongs to them.',
      paths: ['/ops/v1/registry', '/ops/v1/networks'],
    },
    { name: 'Credentials', description: 'API keys and clients.', paths: ['/ops/v1/api-keys', '/ops/v1/clients'] },
    { name: 'Analysts', description: 'Logins of people who query with SQL.', paths: ['/ops/v1/analysts'] },
    {
      name: 'Webhooks',
      description: 'Subscriptions to notices, and their deliveries.',
      paths: ['/ops/v1/webhooks'],
    },
    { name: 'Mappings', description: "How vendors' own schemas become plays.", paths: ['/ops/v1/mappings'] },
    {
      name: 'Events',
      description: 'Outcome and content of events.',
      paths: [
        '/ops/v1/events',
        '/ops/v1/conflicts',
        '/ops/v1/quarantine',
        '/ops/v1/balance',
        '/ops/v1/refusals',
        '/ops/v1/unknown-references',
      ],
    },
    { name: 'Jobs', description: 'Bulk jobs.', paths: ['/ops/v1/jobs'] },
    {
      name: 'Projections',
      description: 'Progress of the read models, and replays that rebuild them.',
      paths: ['/ops/v1/projections', '/ops/v1/replays', '/ops/v1/former-sets'],
    },
    {
      name: 'Cluster',
      description: 'Processes that share the projections, and ClickHouse servers.',
      paths: ['/ops/v1/cluster'],
    },
    {
      name: 'Parked events',
      description: 'Events that could not be projected: list, retry, discard.',
      paths: ['/ops/v1/parked'],
    },
    {
      name: 'Status',
      description: 'Online status of devices and feeders, their outages, and the hourly activity of screens.',
      paths: ['/ops/v1/devices', '/ops/v1/outages', '/ops/v1/completeness'],
    },
    { name: 'Doctor', description: 'Problems of the service, and what to do about them.', paths: ['/ops/v1/doctor'] },
    { name: 'Service', description: 'Probes and this description.', paths: ['/'] },
  ],
  responseExamples,
};
