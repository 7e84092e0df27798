import { isOptionalField } from '@popsvc/contracts/nulls';
import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

const maxInteger = Number.MAX_SAFE_INTEGER;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const unwrapSingle = ({ anyOf, ...rest }: Record<string, unknown>): Record<string, unknown> | undefined =>
  Array.isArray(anyOf) && anyOf.length === 1 ? { ...(anyOf[0] as Record<string, unknown>), ...rest } : undefined;

/** Converts the `anyOf` of a type and null to `type: [T, 'null']`. */
const asNullable = ({ anyOf, ...rest }: Record<string, unknown>): Record<string, unknown> | undefined => {
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

const hoistDescription = (schema: Record<string, unknown>): Record<string, unknown> | undefined => {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || 'description' in schema) return undefined;
  const [one, other] = anyOf as Record<string, unknown>[];
  if (other?.['type'] !== 'null' || typeof one?.['description'] !== 'string') return undefined;
  const { description, ...rest } = one;
  return { description, ...schema, anyOf: [rest, other] };
};

const scalars: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];

/** Many tools that read schemas look only at `type`, so the type that all alternatives share is added. */
const withCommonType = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf) || 'type' in schema) return schema;
  const [type, ...others] = [...new Set((anyOf as Record<string, unknown>[]).map((one) => one['type']))];
  return others.length === 0 && scalars.includes(type) ? { type, ...schema } : schema;
};

const normaliseOne = (given: Record<string, unknown>, isOutput: boolean): Record<string, unknown> => {
  const { example, ...schema } =
    unwrapSingle(given) ?? asNullable(given) ?? hoistDescription(given) ?? withCommonType(given);
  delete schema['readOnly'];
  if (example !== undefined) schema['examples'] = [example];
  if ([schema['type']].flat().includes('integer') && !('format' in schema)) {
    if (schema['maximum'] === maxInteger || !('maximum' in schema)) schema['format'] = 'int64';
    if (schema['maximum'] === maxInteger) delete schema['maximum'];
    if (schema['minimum'] === -maxInteger) delete schema['minimum'];
  }
  // For formats such as `uuid`, zod adds a pattern that says no more than the format.
  if (typeof schema['format'] === 'string') delete schema['pattern'];
  // Responses may get new fields later, so clients must tolerate unknown ones.
  if (isOutput && schema['additionalProperties'] === false) delete schema['additionalProperties'];
  if (isObject(schema['properties']) && Object.keys(schema['properties']).length === 0) delete schema['properties'];
  return schema;
};

const normaliseAll = (value: unknown, isOutput: boolean): unknown => {
  if (Array.isArray(value)) return value.map((one) => normaliseAll(one, isOutput));
  if (!isObject(value)) return value;
  const inside = Object.entries(value).map(([key, one]) => {
    // The keys of `properties` are names, not schema keywords; examples are values, not schemas.
    if (key === 'properties' && isObject(one))
      return [
        key,
        Object.fromEntries(Object.entries(one).map(([name, field]) => [name, normaliseAll(field, isOutput)])),
      ];
    return [key, ['const', 'enum', 'default', 'example', 'examples'].includes(key) ? one : normaliseAll(one, isOutput)];
  });
  return normaliseOne(Object.fromEntries(inside) as Record<string, unknown>, isOutput);
};

const normaliseSchema = (schema: JsonSchema, isOutput: boolean): JsonSchema =>
  normaliseAll(schema, isOutput) as JsonSchema;

/** Callers may send null for an absent optional field; `dropNulls` removes it before the validation. */
const acceptNulls = ({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodType;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}) => {
  if (!(zodSchema instanceof z.ZodObject)) return;
  const shape = zodSchema.shape as Readonly<Record<string, z.ZodType>>;
  for (const [name, field] of Object.entries(jsonSchema.properties ?? {}))
    if (shape[name] && isOptionalField(shape[name]))
      jsonSchema.properties![name] = { anyOf: [field as z.core.JSONSchema.BaseSchema, { type: 'null' }] };
};

type SchemaDirection = 'input' | 'output';

const inner = '#/$defs/';
const outer = '#/components/schemas/';

const outward = (_: string, value: unknown): unknown =>
  typeof value === 'string' && value.startsWith(inner) ? outer + value.slice(inner.length) : value;

const sorted = <Value>(named: ReadonlyMap<string, Value>): Readonly<Record<string, Value>> =>
  Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));

export class SchemaCollector {
  readonly #named = new Map<string, JsonSchema>();
  readonly #replies = new Map<string, object>();

  /** With `output`, the schema has no type if a transform hides the type. */
  of(schema: z.ZodType, side: SchemaDirection): JsonSchema {
    const schema_ = z.toJSONSchema(schema, {
      ...{ io: side, unrepresentable: 'any', target: 'draft-2020-12' },
      ...(side === 'input' && { override: acceptNulls }),
    });
    delete schema_.$schema;
    const { $defs = {}, ...own } = JSON.parse(JSON.stringify(schema_), outward) as JsonSchema & {
      $defs?: Readonly<Record<string, JsonSchema>>;
    };
    for (const [name, shape] of Object.entries($defs)) this.#put(name, normaliseSchema(shape, side === 'output'));
    return normaliseSchema(own, side === 'output');
  }

  get named(): Readonly<Record<string, JsonSchema>> {
    return sorted(this.#named);
  }

  reply(name: string, reply: object): object {
    this.#replies.set(name, reply);
    return { $ref: `#/components/responses/${name}` };
  }

  get replies(): Readonly<Record<string, object>> {
    return sorted(this.#replies);
  }

  #put(name: string, shape: JsonSchema): void {
    const before = this.#named.get(name);
    if (before && JSON.stringify(before) !== JSON.stringify(shape))
      throw new Error(`${name} has different input and output schemas: give the output schema its own id`);
    this.#named.set(name, shape);
  }
}
