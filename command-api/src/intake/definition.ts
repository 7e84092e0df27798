import type { IntakeKind } from '@popsvc/contracts/events';
import { z } from 'zod';

/** One kind of item that vendors send in lists: how the list is checked, and which event each item becomes. */
export interface IntakeDefinition<Sent, Extra extends object> {
  readonly kind: IntakeKind;
  readonly path: string;
  readonly summary: string;
  readonly operationId: string;
  /** A body that the demo network accepts. */
  readonly example: Readonly<Record<string, unknown>>;
  /** The body field that holds the list. */
  readonly listField: string;
  readonly itemSchema: z.ZodType<Sent>;
  /** The other fields of the body, strict. The response repeats them. */
  readonly extraFields: z.ZodType<Extra> & { readonly shape: object };
  /** Maximum lengths of lists inside an item. They are checked before the schema, because each element can produce an error. */
  readonly innerListLimits: readonly (readonly [field: string, maxLength: number])[];
  /** The item field whose instant must lie within the age limits. Undefined: items of any age are accepted. */
  readonly instantField?: keyof Sent & string;
  /** Item fields with later instants. They must not lie far in the future either. */
  readonly laterInstantFields?: readonly (keyof Sent & string)[];
  /** The part of an item that is stored as sent. Numbers in it that JSON parsing would change are rejected. */
  readonly storedAsSent?: 'whole' | readonly string[];
  readonly eventType: string;
  readonly schemaVersion: number;
  readonly toData: (sent: Sent, extra: Extra) => object;
  /** Rejects items whose ids are not registered in the caller's network. */
  readonly checkIds?: (sent: readonly Sent[], network: number) => Promise<void>;
}

/** For bodies that hold the list and no other field. */
export const noExtraFields = z.strictObject({});

export const maxItems = 1_000;
export const maxBodyBytes = 5 * 1024 * 1024;
