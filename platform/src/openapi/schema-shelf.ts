import { z } from 'zod';
import { type JsonSchema, tidySchema } from './tidy-schema.ts';

/** `input`: what a caller may send. `output`: what is answered, with every default filled in. */
export type SchemaDirection = 'input' | 'output';

const inner = '#/$defs/';
const outer = '#/components/schemas/';

const outward = (_: string, value: unknown): unknown =>
  typeof value === 'string' && value.startsWith(inner) ? outer + value.slice(inner.length) : value;

const sorted = <Value>(named: ReadonlyMap<string, Value>): Readonly<Record<string, Value>> =>
  Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));

/** The named shapes of a document: a zod schema with an `id` stands here once, and others refer to it. */
export class SchemaCollector {
  readonly #named = new Map<string, JsonSchema>();
  readonly #replies = new Map<string, object>();

  /** The JSON schema of one side of a zod schema. Where a transform hides its output, that is the empty schema. */
  of(schema: z.ZodType, side: SchemaDirection): JsonSchema {
    const made = z.toJSONSchema(schema, { io: side, unrepresentable: 'any', target: 'draft-2020-12' });
    delete made.$schema;
    const { $defs = {}, ...own } = JSON.parse(JSON.stringify(made), outward) as JsonSchema & {
      $defs?: Readonly<Record<string, JsonSchema>>;
    };
    for (const [name, shape] of Object.entries($defs)) this.#put(name, tidySchema(shape, side === 'output'));
    return tidySchema(own, side === 'output');
  }

  /** By name, sorted. */
  get named(): Readonly<Record<string, JsonSchema>> {
    return sorted(this.#named);
  }

  /** A reply that several routes give, by a name that says all of it; gives the reference to it. */
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
      throw new Error(`${name} is sent and answered in different shapes: give the answer a name of its own`);
    this.#named.set(name, shape);
  }
}
