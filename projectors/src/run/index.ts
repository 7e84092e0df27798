export { allProjections } from '../all.ts';
export { ensureSchema } from '../schema/ensure-schema.ts';
export { type Limits, liveLimits } from './batcher.ts';
export { createBoard } from './board.ts';
export { crew, type CrewParts } from './crew.ts';
export type { Projection } from './projection.ts';
export { LeaseLost } from './final.ts';
export { runIncarnation, type RunnerParts } from './run-projection.ts';
