import {
  type LabelFormat,
  localLabel,
  localLabelSql,
  localTime,
  localTimeSql,
  utcTime,
  utcTimeSql,
} from './local-times.ts';
import type { ReportRow, RowField } from './packed-row.ts';

/*
 * Each value has two forms that give the same result: SQL for files, and a function that renders JSON for pages. ClickHouse takes too long
 * to analyze the SQL of all columns for a page (docs/decisions/0035-pages-in-node.md).
 */

export interface Names {
  readonly network: number;
  /** Returns an attribute such as `sites.name` as JSON; `null` if the registry does not contain the key. */
  find(attribute: string, key: string): string;
}

export type Render = (row: ReportRow, names: Names) => string;

export interface Value {
  readonly sql: string;
  readonly isNullable: boolean;
  readonly render: Render;
}

export const value = (sql: string, render: Render): Value => ({ sql, isNullable: false, render });
const nullable = (sql: string, render: Render): Value => ({ sql, isNullable: true, render });

const unescaped = /^[ !#-[\]-~]*$/;
const escapedOtherwise = /[\u0000-\u001f\u2028\u2029]/;
const escapeOrSeparator = /\\u[0-9a-f]{4}|\\.|[\u2028\u2029]/g;
const escapeSeparator = (found: string) => `\\u${found.codePointAt(0)!.toString(16)}`;

/** Escapes exactly as ClickHouse does: codes of control characters in upper case, and line and paragraph separators as codes. */
const jsonText = (text: string): string => {
  if (unescaped.test(text)) return `"${text}"`;
  const json = JSON.stringify(text);
  if (!escapedOtherwise.test(text)) return json;
  return json.replaceAll(escapeOrSeparator, (found) => {
    if (!found.startsWith('\\')) return escapeSeparator(found);
    return found.startsWith('\\u') ? `\\u${found.slice(2).toUpperCase()}` : found;
  });
};

export const text = ({ sql, text: read }: RowField): Value => value(sql, (row) => jsonText(read(row)));
/** Words of a closed vocabulary and names of time zones need no escapes. */
export const word = ({ sql, text: read }: RowField): Value => value(`toString(${sql})`, (row) => `"${read(row)}"`);
export const whole = ({ sql, text: read }: RowField): Value => value(sql, read);

export const knownText = ({ sql, text: read }: RowField): Value =>
  nullable(`nullIf(toString(${sql}), '')`, (row) => (read(row) === '' ? 'null' : jsonText(read(row))));

export interface Id {
  readonly sql: string;
  readonly text: Render;
}

export const knownId = ({ sql, text: read }: Id): Value =>
  nullable(`nullIf(${sql}, 0)`, (row, names) => {
    const id = read(row, names);
    return id === '0' ? 'null' : id;
  });

export const truth = ({ sql, text: read }: RowField): Value =>
  nullable(`CAST(${sql}, 'Nullable(Bool)')`, (row) => ({ 0: 'false', 1: 'true' })[read(row)] ?? 'null');

export interface Condition {
  readonly sql: string;
  readonly holds: (row: ReportRow) => boolean;
}

export const isEmptyText = ({ sql, text: read }: RowField): Condition => ({
  sql: `${sql} = ''`,
  holds: (row) => read(row) === '',
});
export const isEmptyList = ({ sql, text: read }: RowField): Condition => ({
  sql: `empty(${sql})`,
  holds: (row) => read(row) === '[]',
});

export const unless = (condition: Condition, shown: Value): Value =>
  nullable(unlessSql(condition, shown.sql), (row, names) => (condition.holds(row) ? 'null' : shown.render(row, names)));
export const unlessSql = ({ sql: condition }: Condition, sql: string): string => `if(${condition}, NULL, ${sql})`;

/**
 * ClickHouse has no nullable arrays, but a Variant that contains an array type can be null. `elements`: ClickHouse type of the elements.
 */
export const nullableList = ({ sql, render }: Value, elements: string): Value =>
  nullable(nullableListSql(sql, elements), render);
export const nullableListSql = (sql: string, elements: string): string =>
  `CAST(${sql}, 'Variant(Array(${elements.replaceAll("'", "\\'")}))')`;

export const numbers = ({ sql, text: read }: RowField): Value => value(sql, read);

export interface Quantity {
  readonly sql: string;
  readonly number: (row: ReportRow) => number;
}

export const product = (one: Quantity, other: Quantity): Quantity => ({
  sql: `${one.sql} * ${other.sql}`,
  number: (row) => one.number(row) * other.number(row),
});

export const seconds = ({ sql, number }: Quantity): Value =>
  value(`(${sql}) / 1000`, (row) => String(number(row) / 1_000));

/** round(100 × part / of), rounded half up, in integer arithmetic; 0 if `of` is 0. */
export const percent = (part: Quantity, of: Quantity): Value =>
  value(`if(${of.sql} = 0, 0, intDiv(200 * ${part.sql} + ${of.sql}, 2 * ${of.sql}))`, (row) => {
    const all = of.number(row);
    return all === 0 ? '0' : String(Math.floor((200 * part.number(row) + all) / (2 * all)));
  });

export interface Instant {
  readonly sql: string;
  readonly ms: (row: ReportRow) => number;
}

export const msBetween = (from: Instant, to: Instant): Quantity => ({
  sql: `dateDiff('millisecond', ${from.sql}, ${to.sql})`,
  number: (row) => to.ms(row) - from.ms(row),
});

export const addMs = (instant: Instant, ms: Quantity): Instant => ({
  sql: `addMilliseconds(${instant.sql}, ${ms.sql})`,
  ms: (row) => instant.ms(row) + ms.number(row),
});

export const local = ({ sql, ms }: Instant, zone: RowField): Value =>
  value(localTimeSql(sql, zone.sql), (row) => `"${localTime(ms(row), zone.text(row))}"`);

export const locals = ({ sql, listMs }: RowField, zone: RowField): Value =>
  value(
    `arrayMap(t -> ${localTimeSql('t', zone.sql)}, ${sql})`,
    (row) =>
      `[${listMs(row)
        .map((ms) => `"${localTime(ms, zone.text(row))}"`)
        .join(',')}]`,
  );

export const utc = ({ sql, ms }: Instant): Value => value(utcTimeSql(sql), (row) => `"${utcTime(ms(row))}"`);

export const localLabelOf = (format: LabelFormat, { sql, ms }: Instant, zone: RowField): Value =>
  value(localLabelSql(format, sql, zone.sql), (row) => `"${localLabel(format, ms(row), zone.text(row))}"`);

/** A range such as `14:00-15:00`; the last hour of the day ends at 24:00. */
export const hourRange = ({ sql, ms }: Instant, zone: RowField): Value => {
  const hourSql = localLabelSql('%H', sql, zone.sql);
  return value(`concat(${hourSql}, ':00-', leftPad(toString(toUInt8(${hourSql}) + 1), 2, '0'), ':00')`, (row) => {
    const hour = localLabel('%H', ms(row), zone.text(row));
    return `"${hour}:00-${String(Number(hour) + 1).padStart(2, '0')}:00"`;
  });
};

/** `text` omits the network, because all rows of a page belong to one network. */
export type Key = Id;

export const attribute = (dictionary: string, name: string, { sql, text: read }: Key): Value => {
  const wanted = `${dictionary}.${name}`;
  return nullable(`dictGetOrNull('dict_${dictionary}', '${name}', ${sql})`, (row, names) =>
    names.find(wanted, read(row, names)),
  );
};

export const firstKnown = (one: Value, other: Value): Value =>
  nullable(`coalesce(${one.sql}, ${other.sql})`, (row, names) => {
    const first = one.render(row, names);
    return first === 'null' ? other.render(row, names) : first;
  });
