import { z } from 'zod';

type JsonObject = Record<string, unknown>;
type RemoveNulls = (value: unknown) => void;

/** Returns whether a field may be absent and may not be null. Null then means the same as absence. */
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

/**
 * Treats the keys of a record as optional fields if an enum lists them and none is required. Other keys are content, so their nulls
 * stay.
 */
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
 * Removes the optional fields that are null from a JSON value, in place, and returns the value. Many serializers write null for an
 * absent field. Fields that the schema does not name keep their nulls. Call it before the schema is applied, which then rejects a
 * required field that is null. Transforms in the schemas would do the same, but slow down every validation.
 */
export const dropNulls = <Value>(schema: z.ZodType, value: Value): Value => {
  removerOf(schema)?.(value);
  return value;
};
