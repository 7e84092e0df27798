import type { IntakeKind } from '@popsvc/contracts/events';
import type { z } from 'zod';

/** One kind of thing vendors push: how a list of it is checked, and which event each becomes. */
export interface Intake<Sent> {
  readonly kind: IntakeKind;
  readonly path: string;
  readonly summary: string;
  /** The field of the body that holds the list. */
  readonly list: string;
  readonly item: z.ZodType<Sent>;
  /** Lists inside an item and how long they may be: looked at first, since each element is a possible complaint. */
  readonly innerLists: readonly (readonly [field: string, most: number])[];
  /** The field whose instant the age limits look at. */
  readonly instant: keyof Sent & string;
  readonly eventType: string;
  readonly schemaVersion: number;
  readonly toData: (sent: Sent) => object;
  /** Refuses what the registry contradicts. */
  readonly check?: (sent: readonly Sent[], network: number) => Promise<void>;
}

export const mostItems = 1_000;
export const mostBytes = 5 * 1024 * 1024;
