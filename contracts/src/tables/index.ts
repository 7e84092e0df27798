export { coffee } from './coffee.table.ts';
export { defineTable, type Field, field, generationTable, type TableDefinition } from './define-table.ts';
export { detections, detectionSpans, observations } from './detections.table.ts';
export { coffeeThresholds, devicePlaces, screenPlaces, watcherThresholds } from './places.table.ts';
export { plays, playSpans } from './plays.table.ts';
export { progress } from './progress.table.ts';
export { registryTables } from './registry.tables.ts';
export { watcherSummary } from './watcher-summary.table.ts';
