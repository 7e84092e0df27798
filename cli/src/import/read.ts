import type { z } from 'zod';

/** A row of a file: an event with its id, or why it is none. */
export type Read<Item> = { readonly item: Item; readonly id: string } | { readonly reason: string };

/** A row and where it stands, counted from 1. */
export type Numbered<Item> = Read<Item> & { readonly row: number };

export const reasonOf = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
