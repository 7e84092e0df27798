import { percentText, wholeText } from '../parts/numbers.ts';
import { Cells } from './cells.tsx';
import { letters } from './letters.ts';

/** What the strips mean, and how many hours of each there are. */
export const Legend = ({ totals }: { readonly totals: Readonly<Record<string, number>> | undefined }) => {
  const all = Object.values(totals ?? {}).reduce((sum, hours) => sum + hours, 0);
  return (
    <ul class="legend">
      {letters.map(({ letter, name, about }) => (
        <li key={letter}>
          <Cells cells={letter} />
          <span>
            {name}
            {totals && all > 0 && (
              <>
                {' '}
                <b title={`${wholeText(totals[letter] ?? 0)} hours`}>{percentText((totals[letter] ?? 0) / all)}</b>
              </>
            )}
          </span>
          <small>{about}</small>
        </li>
      ))}
    </ul>
  );
};
