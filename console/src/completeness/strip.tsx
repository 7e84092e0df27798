import type { TargetedKeyboardEvent } from 'preact';
import { hourText } from '../parts/times.ts';
import { useCursor } from '../parts/use-cursor.ts';
import { useEffect } from 'preact/hooks';
import { Cells } from './cells.tsx';
import { nameOf } from './letters.ts';

interface StripProps {
  readonly name: string;
  readonly cells: string;
  /** When the first hour begins, ms since 1970. */
  readonly from: number;
  /** Whether Tab leads here; the arrows lead on to the others. */
  readonly isDoor: boolean;
  readonly read: (reading: string) => void;
  readonly move: (rows: 1 | -1, hour: number) => void;
  /** Where the reader comes from another row. */
  readonly entry: number;
}

const hourMs = 3_600_000;

/** One screen, hour by hour. */
export const Strip = ({ name, cells, from, isDoor, read, move, entry }: StripProps) => {
  const { at, handlers } = useCursor(cells.length, Math.min(entry, cells.length - 1));
  const readingOf = (hour: number) => `${hourText(from + hour * hourMs)}: ${nameOf(cells[hour] ?? '-')}`;
  useEffect(() => {
    if (at !== undefined) read(`${name}, ${readingOf(at)}`);
  }, [at, cells]);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return handlers.onKeyDown?.(event);
    event.preventDefault();
    move(event.key === 'ArrowDown' ? 1 : -1, at ?? 0);
  };
  return (
    <div
      class="map-strip"
      role="slider"
      tabIndex={isDoor ? 0 : -1}
      aria-label={`Hours of ${name}`}
      aria-valuemin={0}
      aria-valuemax={cells.length - 1}
      aria-valuenow={at ?? 0}
      aria-valuetext={readingOf(at ?? 0)}
      {...handlers}
      onKeyDown={onKeyDown}
    >
      <Cells cells={cells} />
      {at !== undefined && (
        <i
          class="map-cursor"
          style={{ left: `${(at / cells.length) * 100}%`, width: `max(6px, ${100 / cells.length}%)` }}
        />
      )}
    </div>
  );
};
