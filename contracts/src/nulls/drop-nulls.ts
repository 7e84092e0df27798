import { z } from 'zod';

type JsonObject = Record<string, unknown>;
type RemoveNulls = (value: unknown) => void;

export const isOptionalField = (schema: z.ZodType): boolean =>
  schema.safeParse(undefined).success && !schema.safeParse(null).success;

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

const ofObject = ({ shape }: z.ZodObject): RemoveNulls | undefined => {
  const fields = Object.entries<z.ZodType>(shape);
  const optional = fields.flatMap(([name, schema]) => (isOptionalField(schema) ? [name] : []));
  const nested = fields.flatMap(([name, schema]) => {
    const remove = removerOf(schema);
    return remove ? [[name, remove] as const] : [];
  });
  if (optional.length + nested.length === 0) return undefined;
  return (value) => {
    if (!isObject(value)) return;
    for (const name of optional) if (value[name] === null) Reflect.deleteProperty(value, name);
    for (const [name, remove] of nested) if (value[name] !== undefined) remove(value[name]);
  };
};

/** The keys of a record are optional fields only if an enum lists them; other keys are content, so their nulls stay. */
const ofRecord = (schema: z.ZodRecord): RemoveNulls | undefined => {
  const remove = removerOf(schema.valueType as z.ZodType);
  const isOptional = schema.keyType instanceof z.ZodEnum && schema.safeParse({}).success;
  if (!remove && !isOptional) return undefined;
  return (value) => {
    if (!isObject(value)) return;
    for (const [name, inner] of Object.entries(value))
      if (isOptional && inner === null) Reflect.deleteProperty(value, name);
      else remove?.(inner);
  };
};

const ofArray = (schema: z.ZodArray): RemoveNulls | undefined => {
  const remove = removerOf(schema.element as z.ZodType);
  return remove && ((value) => Array.isArray(value) && value.forEach(remove));
};

const compile = (schema: z.ZodType): RemoveNulls | undefined => {
  if (schema instanceof z.ZodObject) return ofObject(schema);
  if (schema instanceof z.ZodArray) return ofArray(schema);
  if (schema instanceof z.ZodRecord) return ofRecord(schema);
  if (schema instanceof z.ZodPipe) return removerOf(schema.in as z.ZodType);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return removerOf(schema.unwrap() as z.ZodType);
  return undefined;
};

const removers = new WeakMap<z.ZodType, RemoveNulls | 'none'>();

const removerOf = (schema: z.ZodType): RemoveNulls | undefined => {
  const known = removers.get(schema) ?? compile(schema) ?? 'none';
  removers.set(schema, known);
  return known === 'none' ? undefined : known;
};

/**
 * Removes null optional fields in place, before validation: many serializers write null for an absent field. Transforms in the schemas
 * would slow down every validation.
 */
export const dropNulls = <Value>(schema: z.ZodType, value: Value): Value => {
  removerOf(schema)?.(value);
  return value;
};
