import { ops, responseData } from '../api/client.ts';
import type { Replay } from '../api/types.ts';
import { Badge, type Tone } from '../components/indicators.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Loaded } from '../components/view.tsx';
import { formatDuration, formatWhole } from '../format/numbers.ts';
import { Ago } from '../format/time.tsx';
import { useResource } from '../state/resource.ts';

const tones: Readonly<Record<string, Tone>> = { done: 'good', failed: 'bad', cancelled: 'quiet' };

const verifiedText = ({ verify, verified }: Replay): string => (verified ? 'yes' : verify ? 'no' : 'not requested');

const columns: readonly Column<Replay>[] = [
  { label: 'Projection', kind: 'name', cell: ({ name }) => name },
  { label: 'Type', cell: ({ kind }) => kind },
  { label: 'Result', cell: ({ state }) => <Badge tone={tones[state] ?? 'busy'} text={state} /> },
  { label: 'Verified', cell: verifiedText },
  { label: 'Generation', cell: ({ from_generation: from, to_generation: to }) => `${from} → ${to}` },
  { label: 'Events', kind: 'number', cell: ({ events }) => formatWhole(events) },
  { label: 'Duration', kind: 'number', cell: ({ seconds }) => formatDuration(seconds) },
  { label: 'Paused', kind: 'number', cell: ({ paused_seconds: seconds }) => formatDuration(seconds) },
  { label: 'Ended', cell: ({ ended_at }) => (ended_at === null ? '' : <Ago at={ended_at} />) },
];

interface FailureProps {
  readonly error: string;
  readonly differences: Replay['differences'];
}

const Failure = ({ error, differences }: FailureProps) => (
  <div class="error-box">
    <div>
      {error}
      {differences.length > 0 && (
        <ul>
          {differences.map(({ table, network, day, rows_before, rows_after, columns }) => (
            <li key={`${table} ${network} ${day}`}>
              <code>{table}</code>, network {network}
              {day !== null && `, ${day}`}: {formatWhole(rows_before)} rows in the live generation,{' '}
              {formatWhole(rows_after)} in the new one{columns && `, with different content of ${columns.join(', ')}`}
            </li>
          ))}
        </ul>
      )}
    </div>
  </div>
);

const title = 'Past replays and rollbacks';

/** Reloaded when the number of running replays changes. */
export const ReplayHistory = ({ runningCount }: { readonly runningCount: number }) => {
  const history = useResource(`replays ${runningCount}`, (signal) =>
    responseData(ops.GET('/ops/v1/replays', { signal })),
  );
  return (
    <Loaded resource={history} lines={2}>
      {({ replays }) => {
        const ended = replays.filter(({ ended_at }) => ended_at !== null);
        if (ended.length === 0) return null;
        return (
          <>
            <h2>{title}</h2>
            <Table
              caption={title}
              columns={columns}
              rows={ended}
              keyOf={({ id }) => id}
              detail={({ error, differences }) => error !== null && <Failure error={error} differences={differences} />}
            />
          </>
        );
      }}
    </Loaded>
  );
};
