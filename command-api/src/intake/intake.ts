import type { IntakeKind } from '@popsvc/contracts/events';
import { z } from 'zod';

/** One kind of thing vendors push: how a list of it is checked, and which event each becomes. */
export interface Intake<Sent, Beside extends object> {
  readonly kind: IntakeKind;
  readonly path: string;
  readonly summary: string;
  /** What generated clients call it. */
  readonly operation: string;
  /** A body that the demo network takes. */
  readonly example: Readonly<Record<string, unknown>>;
  /** The field of the body that holds the list. */
  readonly list: string;
  readonly item: z.ZodType<Sent>;
  /** The fields of the body beside the list, strict; they are told again in the answer. */
  readonly beside: z.ZodType<Beside> & { readonly shape: object };
  /** Lists inside an item and how long they may be: looked at first, since each element is a possible complaint. */
  readonly innerLists: readonly (readonly [field: string, most: number])[];
  /** The field whose instant the age limits look at; none: an item is of any age. */
  readonly instant?: keyof Sent & string;
  /** Fields with later instants, which must not lie far ahead either. */
  readonly laterInstants?: readonly (keyof Sent & string)[];
  /** What of an item is stored as sent, the whole or fields of it: a number there that would change on the way is refused. */
  readonly asSent?: 'whole' | readonly string[];
  readonly eventType: string;
  readonly schemaVersion: number;
  readonly toData: (sent: Sent, beside: Beside) => object;
  /** Refuses what the registry contradicts. */
  readonly check?: (sent: readonly Sent[], network: number) => Promise<void>;
}

/** A body that is the list and nothing else. */
export const nothingBeside = z.strictObject({});

export const mostItems = 1_000;
export const mostBytes = 5 * 1024 * 1024;
