import { z } from 'zod';
import { code, codeList } from './markdown.ts';

type Schema = z.core.JSONSchema.JSONSchema;

interface SchemaField {
  /** Path of the field, such as `watches[].startedAt`. */
  readonly path: string;
  readonly type: string;
  readonly optional: boolean;
  readonly about: string;
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

const describeType = (schema: Schema): string => {
  const { type, format, items, enum: values } = schema;
  if (values) return codeList(values.map(String));
  if (format === 'date-time') return 'instant';
  if (type === 'array') return isSchema(items) && !Array.isArray(items) ? `array of ${describeType(items)}` : 'array';
  return typeof type === 'string' ? type : 'any';
};

const nestedFields = (path: string, schema: Schema): SchemaField[] => {
  const { properties, items } = schema;
  if (properties) return fieldsIn(`${path}.`, schema);
  return isSchema(items) && !Array.isArray(items) ? nestedFields(`${path}[]`, items) : [];
};

const fieldsIn = (before: string, { properties = {}, required = [] }: Schema): SchemaField[] =>
  Object.entries(properties).flatMap(([name, schema]) => {
    if (!isSchema(schema)) return [];
    const path = `${before}${name}`;
    const optional = !required.includes(name);
    return [
      { path, type: describeType(schema), optional, about: schema.description ?? '' },
      ...nestedFields(path, schema),
    ];
  });

/**
 * Lists the fields of a zod object, including those of nested objects and arrays. `io`: whether a field with a default is optional, as it
 * is in input.
 */
const listFields = (schema: z.ZodType, io: 'input' | 'output'): readonly SchemaField[] =>
  fieldsIn('', z.toJSONSchema(schema, { io, unrepresentable: 'any' }));

/** Returns the fields as table rows: field, type, meaning. */
export const fieldRows = (schema: z.ZodType, io: 'input' | 'output' = 'output'): readonly (readonly string[])[] =>
  listFields(schema, io).map(({ path, type, optional, about }) => [
    code(path),
    optional ? `${type}, optional` : type,
    about,
  ]);

export const fieldColumns = ['Field', 'Type', 'Meaning'];
