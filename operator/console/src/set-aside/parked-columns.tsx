import type { ParkedEvent } from '../api/shapes.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import { Button } from '../parts/button.tsx';
import type { Column } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import type { Chosen } from './parked-act.tsx';

const tones: Readonly<Record<string, Tone>> = {
  parked: 'warn',
  retrying: 'busy',
  discarded: 'quiet',
  released: 'good',
};

export const parkedColumns = (choose: (chosen: Chosen) => void): readonly Column<ParkedEvent>[] => [
  {
    label: 'Event',
    kind: 'name',
    cell: ({ type, stream, position }) => (
      <span>
        {type}
        <span class="sub">
          {stream} · position {position}
        </span>
      </span>
    ),
  },
  { label: 'Projection', cell: ({ projection }) => projection },
  { label: 'Why', kind: 'plain', cell: ({ error }) => <span class="cut">{error}</span> },
  { label: 'State', cell: ({ state }) => <Badge tone={tones[state] ?? 'quiet'} text={state} /> },
  { label: 'Attempts', kind: 'number', cell: ({ attempts }) => attempts },
  { label: 'Parked', cell: ({ parked_at }) => <Ago at={parked_at} /> },
  {
    label: 'Actions',
    kind: 'actions',
    cell: ({ projection, position, state }) =>
      state === 'parked' && (
        <div class="buttons">
          <Button
            size="small"
            aria-label={`Retry event ${position} of ${projection}`}
            onClick={() => choose({ act: 'retry', projection, position })}
          >
            Retry
          </Button>
          <Button
            size="small"
            aria-label={`Discard event ${position} of ${projection}`}
            onClick={() => choose({ act: 'discard', projection, position })}
          >
            Discard
          </Button>
        </div>
      ),
  },
];
