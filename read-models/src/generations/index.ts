export { dropGenerationProgress, pruneProgress } from './progress.ts';
export {
  createGenerationTables,
  dropGenerationTables,
  ensureSchema,
  incompleteListMaxAgeMs,
  pointReadersAt,
} from './schema.ts';
export {
  ensureAnalystViews,
  findGenerationsHiddenFromAnalysts,
  findMissingAnalystViews,
  repairAnalystViews,
  runAnalystViewRepair,
} from './analyst-views.ts';
export {
  findGenerations,
  type Generation,
  type ProjectionDeclaration,
  type ProjectionName,
  projectionNames,
  withReaderLock,
} from './generations.ts';
export { planReplaysOfIncomplete, retryFailedReplays } from './incomplete-tables.ts';
export { openGenerations } from './open-generations.ts';
