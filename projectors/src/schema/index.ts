export { ensureSchema } from './ensure-schema.ts';
export { replayWhatLacks } from './newer-tables.ts';
export { openGenerations } from './open-generations.ts';
