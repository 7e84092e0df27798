import { z } from 'zod';
import { isOperatorAccess } from '../auth/access.ts';
import { headerRefs, type ReplyHeader } from '../endpoints/response-headers.ts';
import type { Route, RouteSchemas } from '../endpoints/route.ts';
import { errorResponsesOf } from './error-responses.ts';
import { parametersOf } from './parameters.ts';
import type { SchemaCollector } from './schemas.ts';
import { securityOf } from './security.ts';

export interface OperationGroup {
  readonly name: string;
  readonly description: string;
  readonly paths: readonly string[];
}

/** Examples of the bodies of 2xx responses, by operation id, then by status and media type, such as `200 text/csv`. */
export type ResponseExamples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface ServiceDescription {
  readonly title: string;
  /** In CommonMark. */
  readonly description: string;
  /** In display order. A route belongs to the group with the longest matching path prefix. */
  readonly groups: readonly OperationGroup[];
  /** URL, or path on this server. */
  readonly tokenUrl?: string;
  readonly responseExamples?: ResponseExamples;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export const operationIdOf = ({ operationId, method, path }: Pick<Route, 'operationId' | 'method' | 'path'>): string =>
  operationId ??
  method +
    path
      .split(/[^A-Za-z0-9]+/)
      .map(capital)
      .join('');

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

const otherError = { $ref: '#/components/responses/OtherError' };

const textual = /^text\/|json$/;

const fileSchema = (type: string, description: string) => ({
  type: 'string',
  ...(!textual.test(type) && { format: 'binary' }),
  description,
});

const requestBodyOf = ({ body, isBodyOptional, schemas, examples = [] }: Route, collector: SchemaCollector): object => {
  const described = examples.filter((example) => example.body !== undefined);
  const named = described.map(({ name, description, body: value }) => [
    name,
    { ...(description !== undefined && { summary: description }), value },
  ]);
  const withExamples = named.length > 0 && { examples: Object.fromEntries(named) as object };
  if (body === 'stream') {
    const binary = Object.entries(schemas?.requestFiles ?? { 'application/octet-stream': 'The file.' });
    const content = binary.map(([type, about]) => [type, { schema: fileSchema(type, about), ...withExamples }]);
    return { requestBody: { required: true, content: Object.fromEntries(content) as object } };
  }
  if (!body || !schemas?.body) return {};
  const content = { [mediaTypes[body]]: { schema: collector.of(schemas.body, 'input'), ...withExamples } };
  return { requestBody: { required: !isBodyOptional, content } };
};

const responseOf = (description: string, names: readonly ReplyHeader[], content: object) => ({
  description,
  headers: headerRefs(names),
  content,
});

const successResponses = (
  { access, schemas = {} }: Route,
  examples: ResponseExamples[string],
  collector: SchemaCollector,
): Readonly<Record<string, object>> => {
  const contentOf = (status: string, type: string, schema: object) => {
    const example = examples[`${status} ${type}`];
    return { [type]: { schema, ...(example !== undefined && { example }) } };
  };
  const rates = access === 'ingest' || access === 'reporting' ? (['RateLimit-Policy', 'RateLimit'] as const) : [];
  const names = ['X-Request-Id', ...(schemas.responseHeaders ?? []), ...rates] as const;
  const described = Object.entries(schemas.responses ?? {}).map(([status, schema]) => [
    status,
    responseOf(
      statusDescription(schemas, status),
      names,
      schema instanceof z.ZodVoid ? {} : contentOf(status, 'application/json', collector.of(schema, 'output')),
    ),
  ]);
  const media = Object.entries(schemas.otherResponses ?? {});
  if (media.length === 0) return Object.fromEntries(described) as Record<string, object>;
  const json = described.find(([status]) => status === '200')?.[1] as { content: object } | undefined;
  const content = media.map(([given, about]) => {
    const [type = given] = given.split(';');
    return contentOf('200', type, fileSchema(type, about));
  });
  const both = Object.assign({}, json?.content, ...content) as object;
  return {
    ...(Object.fromEntries(described) as object),
    200: responseOf(statusDescription(schemas, '200'), names, both),
  };
};

const statusDescription = ({ responses }: RouteSchemas, status: string): string =>
  responses?.[Number(status)]?.description ?? { 200: 'Done.', 201: 'Made.', 202: 'Accepted.' }[status] ?? 'Done.';

const groupOf = ({ path }: Route, { groups }: ServiceDescription): string | undefined => {
  const fitting = groups.flatMap(({ name, paths }) =>
    paths.filter((beginning) => path.startsWith(beginning)).map((beginning) => ({ name, length: beginning.length })),
  );
  return fitting.sort((a, b) => b.length - a.length)[0]?.name;
};

const descriptionOf = ({ access, description }: Route): { readonly description?: string } => {
  const paragraphs = [description, isOperatorAccess(access) ? `Least role: \`${access}\`.` : undefined];
  const text = paragraphs.filter((paragraph) => paragraph !== undefined).join('\n\n');
  return text === '' ? {} : { description: text };
};

export const operationOf = (route: Route, description: ServiceDescription, collector: SchemaCollector): object => {
  const parameters = parametersOf(route, collector);
  const group = groupOf(route, description);
  const operationId = operationIdOf(route);
  const examples = description.responseExamples?.[operationId] ?? {};
  return {
    operationId,
    summary: route.summary,
    ...descriptionOf(route),
    ...(group !== undefined && { tags: [group] }),
    security: securityOf[route.access],
    ...(parameters.length > 0 && { parameters }),
    ...requestBodyOf(route, collector),
    responses: {
      ...successResponses(route, examples, collector),
      ...errorResponsesOf(route, collector),
      default: otherError,
    },
  };
};
