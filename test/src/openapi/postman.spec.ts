import { createClient as registerClient } from '@popsvc/http-kit/auth/tokens';
import { describedServers } from '@popsvc/tools/reference-pages';
import { expect } from 'chai';
import postman, { type Item } from 'postman-collection';
import { read } from '../architecture/tree.fixture.ts';
import { startTestServices, type TestServices } from '../support/test-services.ts';

const folder = 'docs/reference/postman';
const collection = new postman.Collection(JSON.parse(read(`${folder}/popsvc.postman_collection.json`)) as object);
const environment = new postman.VariableScope(
  JSON.parse(read(`${folder}/npm-start.postman_environment.json`)) as object,
);

const items: Item[] = [];
collection.forEachItem((item) => items.push(item));

/** The operations that callers use: those of vendors at command-api, and no metrics. */
const publicOperations = describedServers
  .filter(({ name }) => name !== 'ops')
  .flatMap(({ name, document }) =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        id: `${name}.${(operation as { operationId: string }).operationId}`,
        method: method.toUpperCase(),
        path,
        isPublic: path !== '/metrics' && (name === 'command-api' || !path.startsWith('/popsvc/')),
      })),
    ),
  )
  .filter(({ isPublic }) => isPublic);

/** The places of the demo network that the examples name. */
const demoPlaces = {
  networks: [{ id: 1, name: 'Demo network', timezone: 'Europe/London' }],
  vendors: [{ code: 'acme', name: 'Acme', network: 1 }],
  sites: [{ id: 11, name: 'Station', network: 1, timezone: 'Europe/London' }],
  locations: [{ id: 21, name: 'Hall', site: 11 }],
  devices: [{ id: 31, name: 'Screen', location: 21, screen_ids: ['demo-screen-1'] }],
  feeders: [{ id: 41, name: 'Feed', device: 31 }],
  cameras: [{ id: 51, name: 'Camera', device: 31, feeder: 41 }],
  apps: [{ code: 'player', name: 'Player' }],
};

describe('the Postman collection', () => {
  it('has a request for every public endpoint', () => {
    expect(items.map(({ id }) => id).toSorted()).to.deep.equal(publicOperations.map(({ id }) => id).toSorted());
    for (const { id, request } of items) {
      const operation = publicOperations.find((each) => each.id === id)!;
      expect(request.method, id).to.equal(operation.method);
      if (id === 'command-api.uploadFile') continue;
      const path = request.url.path!.map((segment) => segment.replace(/^:(.+)$/, '{$1}'));
      expect(`/${path.join('/')}`, id).to.equal(operation.path);
    }
  });

  it('uses only variables of the environment', () => {
    const used = [...JSON.stringify(collection).matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!);
    const known = environment.values!.map(({ key }) => key!);
    expect(new Set(used)).to.deep.equal(new Set(known));
  });

  describe('against the service', () => {
    let system: TestServices;
    const values: Record<string, string> = {};
    before(async () => {
      system = await startTestServices();
      await system.register(demoPlaces);
      await system.project();
      const { client, clientSecret } = await registerClient(system.postgres, { networkIds: [1] });
      Object.assign(values, {
        baseUrl: system.queryUrl,
        ingestUrl: system.ingestUrl,
        clientId: client.clientId,
        clientSecret,
        apiKey: await system.apiKey(),
      });
    });
    after(() => system.close());

    const resolve = (text: string): string =>
      text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);

    const send = async ({ id, request }: Item): Promise<{ status: number; text: string }> => {
      const headers: Record<string, string> = {};
      for (const { key, value, disabled } of request.headers.all()) if (!disabled) headers[key] = resolve(value);
      const parameters = (request.auth?.parameters().all() ?? []) as readonly { key: string; value: unknown }[];
      const credential = new Map(parameters.map(({ key, value }) => [key, resolve(String(value))]));
      if (request.auth?.type === 'bearer') headers['Authorization'] = `Bearer ${credential.get('token')}`;
      if (request.auth?.type === 'apikey') headers[credential.get('key')!] = credential.get('value')!;
      const { mode, raw, urlencoded } = request.body ?? {};
      if (mode === 'raw') headers['Content-Type'] = 'application/json';
      const form = () =>
        new URLSearchParams(
          urlencoded!.all().map(({ key, value }): [string, string] => [key!, resolve(String(value))]),
        );
      const body =
        mode === 'raw' ? resolve(raw!) : mode === 'urlencoded' ? form() : mode === 'file' ? '{"a":1}\n' : undefined;
      const path = resolve(request.url.toString()).replaceAll(/\/:(\w+)/g, (_, name: string) => {
        const variable = request.url.variables.one(name) as { readonly value: string } | null;
        return `/${encodeURIComponent(resolve(variable?.value ?? ''))}`;
      });
      expect(path, id).to.not.include('{{');
      const response = await fetch(path, { method: request.method, headers, ...(body !== undefined && { body }) });
      return { status: response.status, text: await response.text() };
    };

    it('sends valid requests, in the order in which later ones use the answers of earlier ones', async () => {
      const first = items.filter(({ id }) => id === 'query-api.issueToken');
      const rest = items.filter(({ id }) => id !== 'query-api.issueToken');
      for (const item of [...first, ...rest]) {
        const { status, text } = await send(item);
        // The play is not projected yet.
        const isUnknown = status === 404 && text.includes('"NOT_FOUND"') && !text.includes('There is no endpoint');
        expect(isUnknown || (status >= 200 && status < 300), `${item.id}: ${status} ${text.slice(0, 300)}`).to.equal(
          true,
        );
        // As the scripts of the collection do.
        const answer = text.startsWith('{') ? (JSON.parse(text) as Record<string, string>) : {};
        if (item.id === 'query-api.issueToken') values['accessToken'] = answer['access_token']!;
        for (const name of ['uploadUrl', 'fileId', 'jobId'])
          if (answer[name] !== undefined && item.events.count() > 0) values[name] = answer[name];
      }
    });
  });
});
