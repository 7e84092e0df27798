export { ensureSchema } from './ensure-schema.ts';
export { replayWhatLacks } from './newer-tables.ts';
export { openGenerations } from './open-generations.ts';
export { pruneProgress } from './prune-progress.ts';
export { replayAgain } from './replay-again.ts';
