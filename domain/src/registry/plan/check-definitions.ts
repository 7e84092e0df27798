import type { Detail } from '@popsvc/contracts/errors';
import { instantMs } from '@popsvc/contracts/time';
import { isSame } from '../life.ts';
import type { Draft } from './draft.ts';

/** Published thresholds never change, and do not rewrite past reports unless that is asked for. */
export const checkDefinitions = ({ itemsOf }: Draft, nowMs: number, restate: boolean): Detail[] =>
  itemsOf('metric_definitions').flatMap(({ path, told, stored }) => {
    if (stored)
      return isSame(stored, told)
        ? []
        : [{ path: `${path}.version`, message: 'is published and never changes; publish another version' }];
    return instantMs(told.effective_from)! < nowMs && !restate
      ? [{ path: `${path}.effective_from`, message: 'is before now and would change past reports; needs --restate' }]
      : [];
  });
