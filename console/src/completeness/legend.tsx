import type { CellName } from '@popsvc/contracts/completeness';
import { percentText, wholeText } from '../parts/numbers.ts';
import { Cells } from './cells.tsx';
import { letters } from './letters.ts';

/** What the strips mean, and how many hours of each there are. */
export const Legend = ({ totals }: { readonly totals: Readonly<Record<CellName, number>> | undefined }) => {
  const all = Object.values(totals ?? {}).reduce((sum, hours) => sum + hours, 0);
  return (
    <ul class="legend">
      {letters.map(({ letter, key, name, about }) => (
        <li key={letter} title={about}>
          <Cells cells={letter} />
          <span>
            {name}
            {totals && all > 0 && (
              <>
                {' '}
                <b title={`${wholeText(totals[key])} hours`}>{percentText(totals[key] / all)}</b>
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
};
