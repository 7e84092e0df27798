import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  /** Visually hidden for columns of kind `actions`, because their buttons have labels. */
  readonly label: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly kind?: 'name' | 'key' | 'number' | 'actions' | 'plain';
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly detail?: (row: Row) => ComponentChildren;
  readonly isBusy?: boolean;
}

const align = (kind: Column<unknown>['kind']) => (kind === 'number' || kind === 'actions' ? 'end' : undefined);

/** Needs explicit roles, because browsers drop the implicit ones when `display` changes on narrow screens. */
export const Table = <Row,>({ caption, columns, rows, keyOf, detail, isBusy = false }: TableProps<Row>) => (
  <div class="table-frame" aria-busy={isBusy}>
    <table class="table" role="table">
      <caption class="visually-hidden">{caption}</caption>
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
              {kind === 'actions' ? <span class="visually-hidden">{label}</span> : label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <TableRow key={keyOf(row)} columns={columns} row={row} detail={detail?.(row)} />
        ))}
      </tbody>
    </table>
  </div>
);

interface TableRowProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly row: Row;
  readonly detail: ComponentChildren;
}

const TableRow = <Row,>({ columns, row, detail }: TableRowProps<Row>) => (
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
    {detail && (
      <tr role="row" class="detail-row">
        <td role="cell" data-plain colSpan={columns.length}>
          {detail}
        </td>
      </tr>
    )}
  </>
);
