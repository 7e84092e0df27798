import type { OpenApiDocument } from '@popsvc/http-kit/openapi';
import type { DescribedServer } from '@popsvc/tools/reference-pages';

type Json = Readonly<Record<string, unknown>>;

/** Responses of an operation: the schema of each media type, by status. */
export interface ClosedOperation {
  readonly name: string;
  readonly server: string;
  readonly replies: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/** The documents for validation: operations by `METHOD path`, and the schemas they refer to. */
export interface ClosedReplies {
  readonly operations: Readonly<Record<string, ClosedOperation>>;
  readonly components: Json;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Forbids additional properties in a schema, so that an undocumented field is found. Documents allow them for compatibility. */
export const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed);
  if (!isObject(value)) return value;
  const inside = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]));
  return isObject(inside['properties']) && !('additionalProperties' in inside)
    ? { ...inside, additionalProperties: false }
    : inside;
};

/** Returns the response that a reference names, or the response itself. */
export const resolved = (document: OpenApiDocument, reply: Json): Json => {
  const reference = reply['$ref'];
  if (typeof reference !== 'string') return reply;
  const name = reference.slice('#/components/responses/'.length);
  return document.components['responses']?.[name] as Json;
};

const repliesOf = (document: OpenApiDocument, operation: Json): ClosedOperation['replies'] =>
  Object.fromEntries(
    Object.entries(operation['responses'] as Record<string, Json>).map(([status, reply]) => {
      const content = Object.entries((resolved(document, reply)['content'] ?? {}) as Record<string, Json>);
      return [status, Object.fromEntries(content.map(([type, { schema }]) => [type, closed(schema) as Json]))];
    }),
  );

/** Converts `/jobs/{id}` to `/jobs/:id`. */
const routePath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

const operationsOf = ({ name: server, document }: DescribedServer): (readonly [string, ClosedOperation])[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Json>).map(([method, operation]) => [
      `${method.toUpperCase()} ${routePath(path)}`,
      { name: String(operation['operationId']), server, replies: repliesOf(document, operation) },
    ]),
  );

export const closedReplies = (servers: readonly DescribedServer[]): ClosedReplies => ({
  operations: Object.fromEntries(servers.flatMap(operationsOf)),
  components: Object.assign({}, ...servers.map(({ document }) => closed(document.components['schemas']))) as Json,
});
