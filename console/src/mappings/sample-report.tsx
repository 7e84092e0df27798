import type { TestedMapping } from '../api/types.ts';
import { type Column, Table } from '../components/table.tsx';
import { TwoLines } from '../components/view.tsx';
import { formatWhole } from '../format/numbers.ts';

type FieldReport = TestedMapping['fields'][number];
type BadRow = TestedMapping['bad_rows'][number];

const fieldColumns: readonly Column<FieldReport>[] = [
  { label: 'Field', kind: 'name', cell: ({ field }) => <span class="long-text">{field}</span> },
  { label: 'Found', kind: 'number', cell: ({ found }) => formatWhole(found) },
  { label: 'Missing', kind: 'number', cell: ({ missing }) => formatWhole(missing) },
  { label: 'Not readable', kind: 'number', cell: ({ unparsable }) => formatWhole(unparsable) },
  {
    label: 'Examples and problems',
    kind: 'plain',
    cell: ({ examples, problems }) => (
      <span class="long-text">
        {examples.join(' | ')}
        {problems.map((problem) => (
          <span key={problem} class="sub">
            {problem}
          </span>
        ))}
      </span>
    ),
  },
];

const badRowColumns: readonly Column<BadRow>[] = [
  { label: 'Row', kind: 'name', cell: ({ row }) => `Row ${formatWhole(row)}` },
  {
    label: 'Reason',
    kind: 'plain',
    cell: ({ code, reason }) => (
      <TwoLines isLong sub={<code>{code}</code>}>
        {reason}
      </TwoLines>
    ),
  },
];

export const SampleReport = ({ report }: { readonly report: TestedMapping }) => {
  const { rows, plays, distinct, bad, fields, bad_rows: badRows, first_plays: firstPlays } = report;
  return (
    <>
      <dl class="counts" aria-label="Result">
        {(
          [
            ['Rows', rows, false],
            ['Plays', plays, false],
            ['Distinct plays', distinct, false],
            ['Bad rows', bad, bad > 0],
          ] as const
        ).map(([name, value, isBad]) => (
          <div key={name}>
            <dt class="count-name">{name}</dt>
            <dd class="count-value" data-tone={isBad ? 'bad' : undefined}>
              {formatWhole(value)}
            </dd>
          </div>
        ))}
      </dl>
      <h2>Fields</h2>
      <Table caption="Fields of the mapping" columns={fieldColumns} rows={fields} keyOf={({ field }) => field} />
      {badRows.length > 0 && (
        <>
          <h2>Bad rows</h2>
          <Table caption="Bad rows of the sample" columns={badRowColumns} rows={badRows} keyOf={({ row }) => row} />
        </>
      )}
      {firstPlays.length > 0 && (
        <>
          <h2>First plays, as they would be stored</h2>
          <pre class="raw-event" tabIndex={0} aria-label="First plays">
            {JSON.stringify(firstPlays, null, 2)}
          </pre>
        </>
      )}
    </>
  );
};
