import { randomUUID } from 'node:crypto';
import { openEventStore } from '@popsvc/platform/event-store';
import type { RequestExample, Route } from '@popsvc/http-kit/server';
import { operationIdOf } from '@popsvc/http-kit/openapi';
import { expect } from 'chai';
import { waitUntil, type Service } from '@popsvc/tools/rig';
import { describedServers } from '@popsvc/tools/reference-pages';
import { ExampleRecorder } from './record-examples.fixture.ts';
import { sendExample } from './send-example.fixture.ts';
import { listEvent } from '../support/list-events.ts';

type Body = Readonly<Record<string, unknown>>;
type Answers = ReadonlyMap<string, Body>;

/** The example requests for a subscription use the one that was created just before. */
const webhookValues = Object.fromEntries(
  ['', 'Vendor', 'Operator'].flatMap((owner) => {
    const idOfCreated = (of: (operation: string) => Body) => {
      const created = of(`create${owner}Webhook`);
      const { id } = (created['data'] ?? created) as { readonly id?: string };
      return { params: { id: String(id) } };
    };
    const operations = ['WebhookDeliveries', 'Webhook'].flatMap((what) =>
      ['list', 'redeliver', 'test', 'rotate', 'delete'].map((verb) => `${verb}${owner}${what}`),
    );
    return operations.map((operation) => [operation, idOfCreated] as const);
  }),
);

/** Ids and secrets that exist only at run time, taken from earlier responses. */
const runtimeValues: Readonly<Record<string, (of: (operation: string) => Body) => Partial<RequestExample>>> = {
  uploadFile: (of) => {
    const address = new URL(String(of('requestUpload')['uploadUrl']));
    const [network = '', fileId = ''] = address.pathname.split('/').slice(-2);
    const query = Object.fromEntries(address.searchParams);
    const body = `${JSON.stringify({ screen: 'demo-screen-1' })}\n`;
    return { params: { network, fileId }, query, headers: { 'content-type': 'application/x-ndjson' }, body };
  },
  startBulkIngest: (of) => ({ body: { fileId: of('requestUpload')['fileId'], schemaVersion: 'player-3' } }),
  getBulkJob: (of) => ({ params: { jobId: String(of('startBulkIngest')['jobId']) } }),
  showJob: (of) => ({ params: { id: String(of('startBulkIngest')['jobId']) } }),
  listJobErrors: (of) => ({ params: { id: String(of('startBulkIngest')['jobId']) } }),
  setApiKeyRates: (of) => ({ params: { id: String(of('createApiKey')['id']) } }),
  revokeApiKey: (of) => ({ params: { id: String(of('createApiKey')['id']) } }),
  rotateClient: (of) => ({ params: { id: String(of('createClient')['client_id']) } }),
  showReplay: (of) => ({ params: { id: String(of('startReplay')['id']) } }),
  cancelReplay: (of) => ({ params: { id: String(of('startReplay')['id']) } }),
  revokeClient: (of) => ({ params: { id: String(of('createClient')['client_id']) } }),
  ...webhookValues,
};

/** Operations whose data appears with a delay, and their status until then: read models follow the log, and a rollback needs a finished replay. */
const pendingStatuses = new Map([
  ...['getEventStatus', 'showEvent', 'listJobErrors', 'showJob'].map((name) => [name, 404] as const),
  ['rollBackProjection', 409],
  ['discardParked', 404],
]);

const successes = ({ schemas = {} }: Route): readonly number[] => [
  ...Object.keys(schemas.responses ?? {}).map(Number),
  ...(schemas.otherResponses ? [200] : []),
];

/** Sends the examples to the service, on its demo network. */
export const exampleTests = (running: () => Service): void => {
  describe('every example of a request in the OpenAPI documents', () => {
    let service: Service;
    let token: string;
    let unreadable: bigint;
    /** The time of the last report, for the report of an earlier time. */
    let asOf: string | null = null;
    const answers = new Map<string, Body>();
    const recorder = new ExampleRecorder();
    before(async () => {
      service = running();
      const { token_url, client_id, client_secret } = service.credentials;
      const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
      const answer = await fetch(token_url, { method: 'POST', body: form });
      token = ((await answer.json()) as { access_token: string }).access_token;
      const store = openEventStore({ url: service.endpoints.event_store });
      const metadata = { schemaVersion: 1, receivedAt: new Date().toISOString(), network: 1, vendor: 'demo' };
      const event = { id: randomUUID(), ...listEvent('PlaysRecorded', { eventId: 7 }), metadata };
      unreadable = (await store.append('pop-1.demo.20260820', [event])).position;
      await store.close();
    });

    after(() => recorder.write());

    const credentialOf = ({ access }: Route): Record<string, string> => {
      const { api_key, operator_token } = service.credentials;
      if (access === 'ingest') return { 'x-api-key': api_key };
      if (access === 'reporting') return { authorization: `Bearer ${token}` };
      return access === 'public' ? {} : { authorization: `Bearer ${operator_token}` };
    };

    const completed = (name: string, example: RequestExample, before: Answers): RequestExample => {
      const { client_id, client_secret } = service.credentials;
      const own = runtimeValues[name]?.((operation) => before.get(operation) ?? {}) ?? {};
      const secrets = name === 'issueToken' && { body: { ...(example.body as object), client_id, client_secret } };
      const token = name === 'openSession' && { body: { token: service.credentials.operator_token } };
      const positions = [`${unreadable}:0`];
      const parked = name === 'discardParked' && { body: { ...(example.body as object), positions } };
      const earlier = example.name === 'earlierTime' && { query: { ...example.query, as_of: asOf! } };
      return { ...example, ...own, ...secrets, ...token, ...parked, ...earlier };
    };

    const baseUrlOf = (server: string): string => {
      const { query_base_url, ingest_base_url, ops_base_url } = service.credentials;
      return { 'query-api': query_base_url, 'command-api': ingest_base_url, ops: ops_base_url }[server] ?? '';
    };

    // command-api comes first, because the other examples read what its examples push.
    for (const server of ['command-api', 'query-api', 'ops']) {
      const { routes } = describedServers.find(({ name }) => name === server)!;
      for (const route of routes)
        for (const example of route.examples ?? []) {
          const name = operationIdOf(route);
          it(`${server}: ${name}, ${example.name}`, async () => {
            const send = () =>
              sendExample(baseUrlOf(server), route, completed(name, example, answers), credentialOf(route));
            const answer = pendingStatuses.has(name)
              ? await waitUntil(send, ({ status }) => status !== pendingStatuses.get(name))
              : await send();
            const text = await answer.text();
            asOf = answer.headers.get('x-data-as-of') ?? asOf;
            expect(successes(route), text).to.include(answer.status);
            recorder.add(server, name, answer, text);
            if (
              answer.headers.get('content-type')?.startsWith('application/json') &&
              (!answers.has(name) || name.endsWith('Webhook'))
            )
              answers.set(name, JSON.parse(text) as Body);
          });
        }
    }
  });
};
