import { dataOf, ops } from '../api/ops.ts';
import type { Replay } from '../api/shapes.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import { durationText, wholeText } from '../parts/numbers.ts';
import { Answer } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { useAsked } from '../state/use-asked.ts';
import { Differences } from './differences.tsx';

const tones: Readonly<Record<string, Tone>> = { done: 'good', failed: 'bad', cancelled: 'quiet' };

const columns: readonly Column<Replay>[] = [
  { label: 'Projection', kind: 'name', cell: ({ name }) => name },
  { label: 'What', cell: ({ kind }) => kind },
  { label: 'Outcome', cell: ({ state }) => <Badge tone={tones[state] ?? 'busy'} text={state} /> },
  { label: 'Verified', cell: ({ verified }) => (verified ? 'yes' : 'no') },
  { label: 'Generation', cell: ({ from_generation: from, to_generation: to }) => `${from} → ${to}` },
  { label: 'Events', kind: 'number', cell: ({ events }) => wholeText(events) },
  { label: 'Took', kind: 'number', cell: ({ seconds }) => durationText(seconds) },
  { label: 'Stood still', kind: 'number', cell: ({ paused_seconds: seconds }) => durationText(seconds) },
  { label: 'Ended', cell: ({ ended_at }) => (ended_at === null ? '' : <Ago at={ended_at} />) },
];

/** What was built anew before; asked again whenever one more has ended. */
export const PastReplays = ({ running }: { readonly running: number }) => {
  const asked = useAsked(`replays ${running}`, (signal) => dataOf(ops.GET('/ops/v1/replays', { signal })));
  return (
    <Answer asked={asked} lines={2}>
      {({ replays }) => {
        const ended = replays.filter(({ ended_at }) => ended_at !== null);
        if (ended.length === 0) return null;
        return (
          <>
            <h2>Replays and roll-backs so far</h2>
            <Table
              caption="Replays and roll-backs so far"
              columns={columns}
              rows={ended}
              keyOf={({ id }) => id}
              below={({ error, differences }) =>
                error !== null && <Differences error={error} differences={differences} />
              }
            />
          </>
        );
      }}
    </Answer>
  );
};
