import { allRoutes, commandApiDescription } from '@popsvc/command-api/service';
import { type ErrorCode, errorMessages } from '@popsvc/contracts/errors';
import { opsDescription, opsRoutes } from '@popsvc/ops-api/server';
import { httpStatusOf, type Route, serverRoutes } from '@popsvc/http-kit/server';
import { buildOpenApiDocument, type OpenApiDocument, type ServiceDescription } from '@popsvc/http-kit/openapi';
import { allRoutes as allQueryApiRoutes, queryApiDescription } from '@popsvc/query-api/service';
import { code, json, page, table } from './markdown.ts';

const example = {
  status: false,
  message: 'limit must be a whole number from 1 to 5000',
  error: { code: 'INVALID_PARAM', details: [{ path: 'limit', message: 'must be a whole number from 1 to 5000' }] },
  request_id: '5f0c7a0e-6f0f-4c1e-9a3e-0c6a7a1f2b3d',
};

export const errorsPage = (): string =>
  page('Errors', '`contracts/src/errors/api-error.ts` and `http-kit/src/endpoints/errors.ts`', [
    'Every JSON error has this form. Programs should use `error.code`: the message is for people and may change. The errors of the token endpoint have the form of RFC 6749, section 5.2.',
    json(example),
    table(
      ['Code', 'Status', 'Default message'],
      (Object.entries(errorMessages) as [ErrorCode, string][]).map(([name, message]) => [
        code(name),
        String(httpStatusOf[name]),
        message,
      ]),
    ),
    '`INVALID_REQUEST` has status 408 if the request does not arrive in time: send it again. It has status 431 if the headers are too large.',
    'Queries of analysts return the errors of ClickHouse instead: [errors of queries](analysts.md#errors-of-queries).',
  ]);

/**
 * Placeholder for the dependencies of routes. The routes need no real dependencies, because they are only described, never called.
 * Reading a property of the placeholder, or calling it, returns the placeholder again.
 */
const placeholder: never = new Proxy(() => undefined, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '' : placeholder),
  has: () => true,
  apply: () => placeholder,
}) as never;

export interface DescribedServer {
  readonly name: string;
  readonly description: ServiceDescription;
  /** The routes that are specific to this server. Excludes the routes that every server has. */
  readonly own: readonly Route[];
  readonly routes: readonly Route[];
  readonly document: OpenApiDocument;
}

const describeServer = (name: string, description: ServiceDescription, own: readonly Route[]): DescribedServer => {
  const all = serverRoutes({ routes: own, description, checks: {}, stopping: () => false, metrics: placeholder });
  return { name, description, own, routes: all, document: buildOpenApiDocument(description, all) };
};

/**
 * The servers that have an OpenAPI document. Their routes include the optional ones, which serve the built-in identity provider and
 * file uploads to disk.
 */
export const describedServers: readonly DescribedServer[] = [
  describeServer('query-api', queryApiDescription, allQueryApiRoutes(placeholder)),
  describeServer('command-api', commandApiDescription, allRoutes(placeholder)),
  describeServer('ops', opsDescription, opsRoutes(placeholder)),
];

/** OpenAPI documents by path. */
export const openApiPages: Readonly<Record<string, () => string>> = Object.fromEntries(
  describedServers.map(({ name, document }) => [
    `docs/reference/openapi/${name}.json`,
    () => `${JSON.stringify(document, null, 2)}\n`,
  ]),
);
