import type { Projection } from '../projection.ts';

export type HasState = Pick<Projection, 'recalls'>;

/** Whether the order within a stream matters: a projection recalls what it keeps in memory, and that is made of these. */
export const isStateStream = ({ recalls }: HasState, stream: string): boolean =>
  recalls.some((prefix) => stream.startsWith(prefix));
