export type JsonSchema = Readonly<Record<string, unknown>>;

const largest = Number.MAX_SAFE_INTEGER;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One of one is that one. */
const only = ({ anyOf, ...rest }: Record<string, unknown>): Record<string, unknown> | undefined =>
  Array.isArray(anyOf) && anyOf.length === 1 ? { ...(anyOf[0] as Record<string, unknown>), ...rest } : undefined;

/** A word or number that may be null is told by its types, as people would write it. */
const nullable = ({ anyOf, ...rest }: Record<string, unknown>): Record<string, unknown> | undefined => {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return undefined;
  const [one, other] = anyOf as Record<string, unknown>[];
  if (!one || other?.['type'] !== 'null' || typeof one['type'] !== 'string' || 'const' in one) return undefined;
  const { type, enum: values, ...more } = one;
  return {
    type: [type, 'null'],
    ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
    ...more,
    ...rest,
  };
};

const scalars: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];

/** Words in one form or another are words: many readers of schemas look no further than the type. */
const typed = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf) || 'type' in schema) return schema;
  const [type, ...others] = [...new Set((anyOf as Record<string, unknown>[]).map((one) => one['type']))];
  return others.length === 0 && scalars.includes(type) ? { type, ...schema } : schema;
};

const tidyOne = (given: Record<string, unknown>, isAnswer: boolean): Record<string, unknown> => {
  const { example, ...schema } = only(given) ?? nullable(given) ?? typed(given);
  delete schema['readOnly'];
  if (example !== undefined) schema['examples'] = [example];
  if ([schema['type']].flat().includes('integer') && !('format' in schema)) {
    if (schema['maximum'] === largest || !('maximum' in schema)) schema['format'] = 'int64';
    if (schema['maximum'] === largest) delete schema['maximum'];
    if (schema['minimum'] === -largest) delete schema['minimum'];
  }
  // The format says it better than the expression by which it is checked.
  if (typeof schema['format'] === 'string') delete schema['pattern'];
  // Answers may get more fields one day, and whoever reads them should not mind.
  if (isAnswer && schema['additionalProperties'] === false) delete schema['additionalProperties'];
  if (isObject(schema['properties']) && Object.keys(schema['properties']).length === 0) delete schema['properties'];
  return schema;
};

const tidied = (value: unknown, isAnswer: boolean): unknown => {
  if (Array.isArray(value)) return value.map((one) => tidied(one, isAnswer));
  if (!isObject(value)) return value;
  const inside = Object.entries(value).map(([key, one]) => {
    // Names of fields are no keywords, and examples no schemas.
    if (key === 'properties' && isObject(one))
      return [key, Object.fromEntries(Object.entries(one).map(([name, field]) => [name, tidied(field, isAnswer)]))];
    return [key, ['const', 'enum', 'default', 'example', 'examples'].includes(key) ? one : tidied(one, isAnswer)];
  });
  return tidyOne(Object.fromEntries(inside) as Record<string, unknown>, isAnswer);
};

/** A schema as zod writes it, without what only zod needs to say. */
export const tidySchema = (schema: JsonSchema, isAnswer: boolean): JsonSchema => tidied(schema, isAnswer) as JsonSchema;
