import type { Replay } from '../api/shapes.ts';
import { wholeText } from '../parts/numbers.ts';

/** Why it did not end well, and where the two generations differ. */
export const Differences = ({ replay: { error, differences } }: { readonly replay: Replay }) => {
  if (error === null) return null;
  return (
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
};
