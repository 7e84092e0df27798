import type { TargetedKeyboardEvent } from 'preact';
import { useEffect } from 'preact/hooks';
import { useCursor } from '../charts/cursor.ts';
import { formatDayAndTime } from '../format/time.tsx';
import { type SiteZone, zoneMode } from '../format/time-zone.ts';
import { cellLabel, Cells } from './cells.tsx';

export const hourMs = 3_600_000;

interface HoursStripProps {
  readonly screenId: string;
  /** One letter per hour, as in `cellKinds`. */
  readonly cells: string;
  readonly fromMs: number;
  readonly site: SiteZone;
  /** Only one strip of the map is a tab stop. The arrow keys move the focus to the others. */
  readonly isTabStop: boolean;
  /** Selected when the strip receives the focus. */
  readonly entryHour: number;
  readonly onSelect: (readout: string) => void;
  readonly onLeave: (rowOffset: 1 | -1, hour: number) => void;
}

export const HoursStrip = ({
  screenId,
  cells,
  fromMs,
  site,
  isTabStop,
  entryHour,
  onSelect,
  onLeave,
}: HoursStripProps) => {
  const { index: selected, handlers } = useCursor(cells.length, Math.min(entryHour, cells.length - 1));
  const describe = (hour: number) =>
    `${formatDayAndTime(fromMs + hour * hourMs, site)}: ${cellLabel(cells[hour] ?? '-')}`;
  useEffect(() => {
    if (selected !== undefined) onSelect(`${screenId}, ${describe(selected)}`);
  }, [selected, cells, zoneMode.value]);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return handlers.onKeyDown?.(event);
    event.preventDefault();
    onLeave(event.key === 'ArrowDown' ? 1 : -1, selected ?? 0);
  };
  return (
    <div
      class="map-strip"
      role="slider"
      tabIndex={isTabStop ? 0 : -1}
      aria-label={`Hours of ${screenId}`}
      aria-valuemin={0}
      aria-valuemax={cells.length - 1}
      aria-valuenow={selected ?? 0}
      aria-valuetext={describe(selected ?? 0)}
      {...handlers}
      onKeyDown={onKeyDown}
    >
      <Cells cells={cells} />
      {selected !== undefined && (
        <i
          class="map-cursor"
          style={{ left: `${(selected / cells.length) * 100}%`, width: `max(6px, ${100 / cells.length}%)` }}
        />
      )}
    </div>
  );
};
