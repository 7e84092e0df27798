import type { z } from 'zod';
import type { RequestExample, Route } from '../endpoints/route.ts';
import type { JsonSchema, SchemaCollector } from './schemas.ts';

type Where = 'path' | 'query' | 'header';

const switches: Readonly<Record<string, boolean>> = { true: true, false: false };

/** Documents the enum `true`, `false` as a boolean. */
const asSwitch = (schema: JsonSchema): JsonSchema => {
  const { enum: words, default: standard, ...rest } = schema as { enum?: readonly string[]; default?: string };
  if (words?.join() !== 'true,false') return schema;
  return { ...rest, type: 'boolean', ...(standard !== undefined && { default: switches[standard] }) };
};

/** Documents a parameter by its parsed type; by its text if a transform hides the parsed type. */
const meaningOf = (schema: z.ZodType, shelf: SchemaCollector): JsonSchema => {
  const meaning = shelf.of(schema, 'output');
  const told = Object.keys(meaning).some((key) => !['default', 'description', 'examples'].includes(key));
  return told ? meaning : shelf.of(schema, 'input');
};

const exampleOf = (where: Where, name: string, example: RequestExample): unknown => {
  const given = { path: example.params, query: example.query, header: example.headers }[where];
  return given?.[name];
};

/** Collects distinct examples of a parameter, each under the name of the first request that uses it. */
const examplesOf = (where: Where, name: string, given: readonly RequestExample[] = []): object | undefined => {
  const seen = new Map<string, readonly [string, { value: unknown }]>();
  for (const example of given) {
    const value = exampleOf(where, name, example);
    const key = JSON.stringify(value);
    if (value !== undefined && !seen.has(key)) seen.set(key, [example.name, { value }]);
  }
  return seen.size > 0 ? Object.fromEntries(seen.values()) : undefined;
};

const parametersIn = (
  where: Where,
  shape: z.ZodObject,
  examples: Route['examples'],
  shelf: SchemaCollector,
): object[] =>
  Object.entries(shape.shape).map(([name, field]) => {
    const schema = field as z.ZodType;
    const { description: about, ...meaning } = asSwitch(meaningOf(schema, shelf)) as { description?: string };
    const description = schema.description ?? about;
    const told = examplesOf(where, name, examples);
    return {
      name,
      in: where,
      required: where === 'path' || !schema.safeParse(undefined).success,
      ...(description !== undefined && { description }),
      schema: meaning,
      ...(told && { examples: told }),
    };
  });

/** Builds the path, query and header parameters of a route. A repeatable query parameter is an array. */
export const parametersOf = ({ schemas = {}, examples }: Route, shelf: SchemaCollector): readonly object[] => [
  ...(schemas.params ? parametersIn('path', schemas.params, examples, shelf) : []),
  ...(schemas.query ? parametersIn('query', schemas.query, examples, shelf) : []),
  ...(schemas.headers ? parametersIn('header', schemas.headers, examples, shelf) : []),
];
