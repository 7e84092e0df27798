import type { Problem } from './overview.schemas.ts';

/** A problem as it is found; `sinceMs` is left out where nobody knows. */
export type Found = Omit<Problem, 'since'> & { readonly sinceMs?: number | undefined };
