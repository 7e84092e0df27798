import type { ParkedEvent } from '../api/shapes.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import { Button } from '../parts/button.tsx';
import type { Column } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import type { Chosen } from './parked-act.tsx';

/** What it is at, in a word. */
const standing = ({ state, decision_pending: isPending, behind }: ParkedEvent): readonly [Tone, string] => {
  if (state === 'discarded') return ['quiet', 'discarded'];
  if (isPending) return ['busy', 'being tried'];
  return behind === null ? ['warn', 'parked'] : ['quiet', 'behind another'];
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
  {
    label: 'Why',
    kind: 'plain',
    cell: ({ error, reason, behind }) => (
      <span class="cut">
        {error}
        {behind !== null && <span class="sub">behind position {behind} of its stream</span>}
        {reason !== null && <span class="sub">discarded: {reason}</span>}
      </span>
    ),
  },
  {
    label: 'State',
    cell: (event) => {
      const [tone, text] = standing(event);
      return <Badge tone={tone} text={text} />;
    },
  },
  { label: 'Attempts', kind: 'number', cell: ({ attempts }) => attempts },
  { label: 'Parked', cell: ({ parked_at }) => <Ago at={parked_at} /> },
  {
    label: 'Actions',
    kind: 'actions',
    cell: ({ projection, position, state, decision_pending: isPending }) =>
      state === 'parked' &&
      !isPending && (
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
