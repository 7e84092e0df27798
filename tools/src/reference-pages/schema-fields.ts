import { z } from 'zod';
import { code, words } from './markdown.ts';

type Schema = z.core.JSONSchema.JSONSchema;

export interface SchemaField {
  /** `watches[].startedAt` */
  readonly path: string;
  readonly type: string;
  readonly optional: boolean;
  readonly about: string;
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

const typeOf = (schema: Schema): string => {
  const { type, format, items, enum: values } = schema;
  if (values) return words(values.map(String));
  if (format === 'date-time') return 'instant';
  if (type === 'array') return isSchema(items) && !Array.isArray(items) ? `array of ${typeOf(items)}` : 'array';
  return typeof type === 'string' ? type : 'any';
};

const inside = (path: string, schema: Schema): SchemaField[] => {
  const { properties, items } = schema;
  if (properties) return fieldsIn(`${path}.`, schema);
  return isSchema(items) && !Array.isArray(items) ? inside(`${path}[]`, items) : [];
};

const fieldsIn = (before: string, { properties = {}, required = [] }: Schema): SchemaField[] =>
  Object.entries(properties).flatMap(([name, schema]) => {
    if (!isSchema(schema)) return [];
    const path = `${before}${name}`;
    const optional = !required.includes(name);
    return [{ path, type: typeOf(schema), optional, about: schema.description ?? '' }, ...inside(path, schema)];
  });

/** Every field of a zod object, also those inside its objects and lists. */
export const schemaFields = (schema: z.ZodType): readonly SchemaField[] =>
  fieldsIn('', z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }));

/** As rows of a table: field, type, meaning. */
export const fieldRows = (schema: z.ZodType): readonly (readonly string[])[] =>
  schemaFields(schema).map(({ path, type, optional, about }) => [
    code(path),
    optional ? `${type}, optional` : type,
    about,
  ]);
