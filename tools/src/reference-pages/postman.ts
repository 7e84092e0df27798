import { type DescribedServer, describedServers } from './http-api.ts';

/*
 * A collection in the format v2.1 of Postman, which Bruno and Insomnia import as well.
 */

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: { readonly default?: unknown };
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }>
    >;
  };
}

/** Values of the environment that requests set for later ones. */
const scripts: Readonly<Record<string, readonly string[]>> = {
  issueToken: ["pm.environment.set('accessToken', pm.response.json().access_token);"],
  requestUpload: [
    'const { uploadUrl, fileId } = pm.response.json();',
    "pm.environment.set('uploadUrl', uploadUrl);",
    "pm.environment.set('fileId', fileId);",
  ],
  startBulkIngest: ["pm.environment.set('jobId', pm.response.json().jobId);"],
};

/** Values that come from the environment instead of an example. */
const variables: Readonly<Record<string, string>> = {
  client_id: '{{clientId}}',
  client_secret: '{{clientSecret}}',
  fileId: '{{fileId}}',
  jobId: '{{jobId}}',
};

const firstExample = (examples: Readonly<Record<string, { readonly value: unknown }>> | undefined): unknown =>
  Object.values(examples ?? {})[0]?.value;

const valueOf = ({ name, schema, examples }: Parameter): string => {
  const value = variables[name] ?? firstExample(examples) ?? schema.default ?? '';
  return String(Array.isArray(value) ? value[0] : value);
};

const fieldOf = (parameter: Parameter) => ({
  key: parameter.name,
  value: valueOf(parameter),
  ...(parameter.description !== undefined && { description: parameter.description }),
  ...(!parameter.required && { disabled: true }),
});

const withVariables = (value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, variables[name] ?? field]))
    : value;

const bodyOf = ({ operationId, requestBody }: Operation) => {
  if (!requestBody) return {};
  if (operationId === 'uploadFile') return { body: { mode: 'file', file: { src: '' } } };
  const [mediaType, content] = Object.entries(requestBody.content)[0]!;
  const example = withVariables(firstExample(content.examples));
  if (mediaType === 'application/x-www-form-urlencoded') {
    const fields = Object.entries(example as Readonly<Record<string, string>>);
    return { body: { mode: 'urlencoded', urlencoded: fields.map(([key, value]) => ({ key, value })) } };
  }
  return {
    body: { mode: 'raw', raw: JSON.stringify(example, null, 2), options: { raw: { language: 'json' } } },
  };
};

const authOf = ({ security = [] }: Operation) => {
  const isAccepted = (scheme: string) => security.some((each) => scheme in each);
  if (isAccepted('clientCredentials'))
    return { auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{accessToken}}', type: 'string' }] } };
  if (isAccepted('apiKey')) {
    const fields = { key: 'X-API-Key', value: '{{apiKey}}', in: 'header' };
    return {
      auth: {
        type: 'apikey',
        apikey: Object.entries(fields).map(([key, value]) => ({ key, value, type: 'string' })),
      },
    };
  }
  return { auth: { type: 'noauth' } };
};

const headersOf = ({ operationId, parameters = [], requestBody }: Operation) => [
  // A file has the type for which its upload was requested; the example of that request names the first one.
  ...(operationId === 'uploadFile' ? [{ key: 'Content-Type', value: Object.keys(requestBody!.content)[0]! }] : []),
  ...parameters.filter((parameter) => parameter.in === 'header').map(fieldOf),
];

const urlOf = (host: string, path: string, { operationId, parameters = [] }: Operation) => {
  // The URL is signed, so no part of it can be changed.
  if (operationId === 'uploadFile') return { raw: '{{uploadUrl}}', host: ['{{uploadUrl}}'] };
  const inPlace = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place);
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replace(/^\{(.+)\}$/, ':$1'));
  const query = inPlace('query').map(fieldOf);
  const sent = query.filter((field) => !('disabled' in field)).map(({ key, value }) => `${key}=${value}`);
  return {
    raw: `${host}/${segments.join('/')}${sent.length > 0 ? `?${sent.join('&')}` : ''}`,
    host: [host],
    path: segments,
    ...(query.length > 0 && { query }),
    variable: inPlace('path').map((parameter) => ({ key: parameter.name, value: valueOf(parameter) })),
  };
};

const itemOf = (server: string, host: string, path: string, method: string, operation: Operation) => {
  const { operationId, summary, description } = operation;
  const script = scripts[operationId];
  return {
    id: `${server}.${operationId}`,
    name: summary,
    request: {
      method: method.toUpperCase(),
      ...(description !== undefined && { description }),
      ...authOf(operation),
      header: headersOf(operation),
      url: urlOf(host, path, operation),
      ...bodyOf(operation),
    },
    ...(script && { event: [{ listen: 'test', script: { type: 'text/javascript', exec: script } }] }),
  };
};

/** Only operators may read the metrics from another machine. */
const isPublic = (path: string): boolean => path !== '/metrics';

interface PublicOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** Returns the operations of a server that callers use at its address. Vendors' reads at query-api are for command-api. */
const publicOperations = ({ name, document }: DescribedServer): readonly PublicOperation[] =>
  Object.entries(document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>)
    .filter(([path]) => isPublic(path) && !(name === 'query-api' && path.startsWith('/popsvc/')))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));

const hosts: Readonly<Record<string, string>> = { 'query-api': '{{baseUrl}}', 'command-api': '{{ingestUrl}}' };

/** The collection of the public endpoints, with a folder for each server and each group of its endpoints. */
export const postmanCollection = (): string => {
  const folders = describedServers
    .filter(({ name }) => name in hosts)
    .map((server) => {
      const operations = publicOperations(server);
      const groups = [...new Set(operations.flatMap(({ operation }) => operation.tags))];
      return {
        name: server.description.title,
        description: server.description.description,
        item: groups.map((group) => ({
          name: group,
          item: operations
            .filter(({ operation }) => operation.tags.includes(group))
            .map(({ path, method, operation }) => itemOf(server.name, hosts[server.name]!, path, method, operation)),
        })),
      };
    });
  const collection = {
    info: {
      name: 'popsvc',
      description:
        'The public endpoints of popsvc, generated from the OpenAPI documents by `npm run reference`. Select the environment, and send the request of an access token before those of reports.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    item: folders,
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
};

/** The environment for `npm start`. The credentials of the demo network are in `demo-credentials.json` of its data folder. */
export const postmanEnvironment = (): string => {
  const values = [
    ['baseUrl', 'http://localhost:8080', 'default'],
    ['ingestUrl', 'http://localhost:8081', 'default'],
    ['clientId', '', 'default'],
    ['clientSecret', '', 'secret'],
    ['apiKey', '', 'secret'],
    ['accessToken', '', 'secret'],
    ['uploadUrl', '', 'secret'],
    ['fileId', '', 'default'],
    ['jobId', '', 'default'],
  ].map(([key, value, type]) => ({ key, value, type, enabled: true }));
  return `${JSON.stringify({ name: 'popsvc: npm start', values, _postman_variable_scope: 'environment' }, null, 2)}\n`;
};
