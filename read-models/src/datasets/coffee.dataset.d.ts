import type { Dataset } from './define-dataset.ts';
export declare const coffeeDataset: Dataset;
//# sourceMappingURL=coffee.dataset.d.ts.map
