export { coffeeDataset } from './coffee.dataset.js';
export { watcherSummaryDataset } from './watcher-summary.dataset.js';
//# sourceMappingURL=index.js.map
