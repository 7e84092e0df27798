import type { z } from 'zod';
import type { RequestExample, Route } from '../endpoints/route.ts';
import type { JsonSchema, SchemaCollector } from './schemas.ts';

type ParameterLocation = 'path' | 'query' | 'header';

const booleanTexts: Readonly<Record<string, boolean>> = { true: true, false: false };

const asBoolean = (schema: JsonSchema): JsonSchema => {
  const { enum: texts, default: standard, ...rest } = schema as { enum?: readonly string[]; default?: string };
  if (texts?.join() !== 'true,false') return schema;
  return { ...rest, type: 'boolean', ...(standard !== undefined && { default: booleanTexts[standard] }) };
};

/** Describes the parsed value or, if a transform hides its type, the text that the caller sends. */
const schemaOfParameter = (schema: z.ZodType, collector: SchemaCollector): JsonSchema => {
  const meaning = collector.of(schema, 'output');
  const showsType = Object.keys(meaning).some((key) => !['default', 'description', 'examples'].includes(key));
  return showsType ? meaning : collector.of(schema, 'input');
};

const exampleOf = (location: ParameterLocation, name: string, example: RequestExample): unknown => {
  const given = { path: example.params, query: example.query, header: example.headers }[location];
  return given?.[name];
};

const examplesOf = (
  location: ParameterLocation,
  name: string,
  given: readonly RequestExample[] = [],
): object | undefined => {
  const seen = new Map<string, readonly [string, { value: unknown }]>();
  for (const example of given) {
    const value = exampleOf(location, name, example);
    const key = JSON.stringify(value);
    if (value !== undefined && !seen.has(key)) seen.set(key, [example.name, { value }]);
  }
  return seen.size > 0 ? Object.fromEntries(seen.values()) : undefined;
};

const parametersIn = (
  location: ParameterLocation,
  shape: z.ZodObject,
  examples: Route['examples'],
  collector: SchemaCollector,
): object[] =>
  Object.entries(shape.shape).map(([name, field]) => {
    const schema = field as z.ZodType;
    const { description: about, ...meaning } = asBoolean(schemaOfParameter(schema, collector)) as {
      description?: string;
    };
    const description = schema.description ?? about;
    const examplesOfName = examplesOf(location, name, examples);
    return {
      name,
      in: location,
      required: location === 'path' || !schema.safeParse(undefined).success,
      ...(description !== undefined && { description }),
      schema: meaning,
      ...(examplesOfName && { examples: examplesOfName }),
    };
  });

export const parametersOf = ({ schemas = {}, examples }: Route, collector: SchemaCollector): readonly object[] => [
  ...(schemas.params ? parametersIn('path', schemas.params, examples, collector) : []),
  ...(schemas.query ? parametersIn('query', schemas.query, examples, collector) : []),
  ...(schemas.headers ? parametersIn('header', schemas.headers, examples, collector) : []),
];
