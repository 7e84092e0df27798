import type { Projection } from '../projection.ts';

export type Stateful = Pick<Projection, 'recalls'>;

/** Whether the order within a stream matters: a projection recalls what it keeps in memory, and that is made of these. */
export const isOfState = ({ recalls }: Stateful, stream: string): boolean =>
  recalls.some((prefix) => stream.startsWith(prefix));
