import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  /** Unseen where the cells say it themselves. */
  readonly label: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly kind?: 'name' | 'key' | 'number' | 'actions' | 'plain';
}

interface TableProps<Row> {
  /** What it lists, for those who do not see it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** What stands below a row, over its whole width. */
  readonly below?: (row: Row) => ComponentChildren;
  readonly isBusy?: boolean;
}

const align = (kind: Column<unknown>['kind']) => (kind === 'number' || kind === 'actions' ? 'end' : undefined);

/** A table that becomes a list of cards where it is narrow. Told by roles, which the change of its layout would take from it. */
export const Table = <Row,>({ caption, columns, rows, keyOf, below, isBusy = false }: TableProps<Row>) => (
  <div class="table-frame" aria-busy={isBusy}>
    <table class="table" role="table">
      <caption class="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ label, kind }) => (
            <th
              key={label}
              role="columnheader"
              scope="col"
              data-align={align(kind)}
              data-narrow={kind === 'key' || undefined}
            >
              {kind === 'actions' ? <span class="unseen">{label}</span> : label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <Line key={keyOf(row)} columns={columns} row={row} below={below?.(row)} />
        ))}
      </tbody>
    </table>
  </div>
);

interface LineProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly row: Row;
  readonly below: ComponentChildren;
}

const Line = <Row,>({ columns, row, below }: LineProps<Row>) => (
  <>
    <tr role="row">
      {columns.map(({ label, cell, kind }) =>
        kind === 'name' || kind === 'key' ? (
          <th key={label} role="rowheader" scope="row" data-label={label}>
            {cell(row)}
          </th>
        ) : (
          <td
            key={label}
            role="cell"
            data-label={kind === 'actions' ? undefined : label}
            data-align={align(kind)}
            data-actions={kind === 'actions' || undefined}
            data-plain={kind === 'plain' || undefined}
          >
            {cell(row)}
          </td>
        ),
      )}
    </tr>
    {below && (
      <tr role="row" class="below">
        <td role="cell" data-plain colSpan={columns.length}>
          {below}
        </td>
      </tr>
    )}
  </>
);
