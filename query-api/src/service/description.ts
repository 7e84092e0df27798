import type { ServiceDescription } from '@popsvc/platform/openapi';

/** What this service says of itself at `/openapi.json`. */
export const queryApiDescription: ServiceDescription = {
  title: 'popsvc reporting',
  description:
    'Audience reports, device status and app uptime for partners, and the endpoint that gives out access tokens.\n\n' +
    'Everything is limited to the networks of the credential. Reports cover one network: that of `X-Network-Name`, else the ' +
    'first of the token. `HEAD` is answered wherever `GET` is. Unknown parameters are refused.',
  groups: [
    {
      name: 'Coffee',
      description: 'Campaign-level audience and engagement.',
      paths: ['/api/v1/coffee', '/api/v1/metric-definitions'],
    },
    { name: 'Watcher summary', description: 'Watcher observations.', paths: ['/api/v1/watcher-summary'] },
    {
      name: 'Status',
      description: 'Whether devices and feeders are online, and how apps on devices ran.',
      paths: ['/api/v1/devices', '/api/v1/feeders', '/api/v1/device-apps'],
    },
    { name: 'Events', description: 'What became of an event.', paths: ['/popsvc/v1'] },
    { name: 'Tokens', description: 'Client credentials for access tokens.', paths: ['/oauth', '/.well-known'] },
    { name: 'Service', description: 'Probes and this description.', paths: ['/'] },
  ],
};
