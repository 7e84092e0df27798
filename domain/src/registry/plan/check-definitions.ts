import type { ApiErrorDetail } from '@popsvc/contracts/errors';
import { instantMs } from '@popsvc/contracts/time';
import { isSame } from '../life.ts';
import type { RegistryDraft } from './draft.ts';

/** Published thresholds never change, and do not rewrite past reports unless that is asked for. */
export const checkDefinitions = ({ itemsOf }: RegistryDraft, nowMs: number, restate: boolean): ApiErrorDetail[] =>
  itemsOf('metric_definitions').flatMap(({ path, requested: requested, stored }) => {
    if (stored)
      return isSame(stored, requested)
        ? []
        : [{ path: `${path}.version`, message: 'is published and never changes; publish another version' }];
    return instantMs(requested.effective_from)! < nowMs && !restate
      ? [{ path: `${path}.effective_from`, message: 'is before now and would change past reports; needs --restate' }]
      : [];
  });
