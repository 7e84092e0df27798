import { dataOf, ops } from '../api/ops.ts';
import type { Network } from '../api/shapes.ts';
import { useAsked } from './use-asked.ts';

const none: readonly Network[] = [];

export const useNetworks = (): readonly Network[] =>
  useAsked('networks', (signal) => dataOf(ops.GET('/ops/v1/networks', { signal }))).data?.networks ?? none;
