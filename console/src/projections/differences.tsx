import type { Replay } from '../api/shapes.ts';
import { wholeText } from '../parts/numbers.ts';

interface DifferencesProps extends Pick<Replay, 'differences'> {
  readonly error: string;
}

/** Why it did not end well, and where the two generations differ. */
export const Differences = ({ error, differences }: DifferencesProps) => (
  <div class="wrong">
    <div>
      {error}
      {differences.length > 0 && (
        <ul>
          {differences.map(({ table, network, day, rows_before, rows_after }) => (
            <li key={`${table} ${network} ${day}`}>
              <code>{table}</code>, network {network}
              {day !== null && `, ${day}`}: {wholeText(rows_before)} rows live, {wholeText(rows_after)} built anew
            </li>
          ))}
        </ul>
      )}
    </div>
  </div>
);
