import type { ClickHouseUser } from './settings.ts';
import { LAUNCHER } from './users-file.ts';
import type { Elements } from './xml.ts';

/** The header with which the gate says that it has looked at a query. */
export const GATE_HEADER = 'X-Popsvc-Gate';

const query: Elements = { handler: { type: 'dynamic_query_handler', query_param_name: 'query' } };
const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

/** In the engine's words for a wrong password, which clients know. */
const stranger: Elements = {
  type: 'static',
  status: 403,
  content_type: 'text/plain; charset=UTF-8',
  response_content:
    'Code: 516. DB::Exception: Authentication failed: this port is for the service. (AUTHENTICATION_FAILED)',
};

/**
 * Whom the listener lets as far as a query: our services by their credentials, the launcher, and what came through the gate.
 * Everybody else is refused before anything is parsed, above all the engine's own passwordless user: a function of this
 * build, `file`, reads any file of this machine for whoever may say SELECT, and no right keeps anybody from it.
 */
export const doors = (
  users: readonly ClickHouseUser[],
  { launcherPassword, gateSecret }: { readonly launcherPassword: string; readonly gateSecret: string },
): Elements => ({
  rule: [
    { url: '/ping', methods: 'GET,HEAD', handler: { type: 'ping' } },
    { headers: { 'X-ClickHouse-User': LAUNCHER, 'X-ClickHouse-Key': launcherPassword }, ...query },
    { headers: { [GATE_HEADER]: gateSecret }, ...query },
    ...users.flatMap((user) =>
      user.role !== 'analyst' && 'password' in user
        ? [{ headers: { Authorization: basic(user.name, user.password) }, ...query }]
        : [],
    ),
    { handler: stranger },
  ],
});
