export { allProjections } from '../all.ts';
export { ensureSchema } from '../schema/ensure-schema.ts';
export { type Limits, liveLimits } from './limits.ts';
export { createBoard } from './board.ts';
export { crew, type CrewParts } from './crew.ts';
export type { Projection } from './projection.ts';
export { LeaseLost } from './final.ts';
export { runIncarnation } from './run-projection.ts';
export type { RunnerParts } from './runner-parts.ts';
