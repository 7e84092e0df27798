import * as datasets from '@popsvc/read-models/datasets';

/** Every dataset the contracts offer. */
export const allDatasets: readonly datasets.Dataset[] = Object.values(datasets);
