export interface AnalystError {
  /** Codes of ClickHouse; empty if the proxy of the embedded engine answers without a code. */
  readonly codes: readonly number[];
  readonly statuses: readonly number[];
  readonly meaning: string;
  readonly remedy: string;
}

const error = (
  codes: readonly number[],
  statuses: readonly number[],
  meaning: string,
  remedy: string,
): AnalystError => ({ codes, statuses, meaning, remedy });

const forbidden = '[Refused queries](../guides/analysts.md#refused-queries) has what to write instead.';

export const analystErrors: readonly AnalystError[] = [
  error([], [400], 'The request has two queries: two parameters `query`, or one and a body.', 'Send one.'),
  error(
    [],
    [401],
    'Credentials are missing, or in several places of the request.',
    'Send them once: Basic authorization, `X-ClickHouse-User` and `X-ClickHouse-Key`, or `user` and `password` in the URL.',
  ),
  error([], [403], 'The query inserts, or contains something that one machine refuses.', forbidden),
  error([], [405, 413], 'Another method than GET or POST, or a query above 1 MiB.', 'Send a shorter query with POST.'),
  error([], [415], '`Send the query uncompressed.`, or `… as text, not as multipart.`', 'Switch compression off.'),
  error(
    [],
    [503],
    '`Too many queries of analysts are running; retry later.` after 30 s in the queue, or `ClickHouse is unavailable; retry later.`',
    'Retry later.',
  ),
  error([516], [403], 'The name or the password is wrong, or the login is revoked.', 'Ask your operator.'),
  error([394], [500], 'The login was revoked, or an operator ended the query, while it ran.', 'Ask your operator.'),
  error([62], [400], 'The query is not valid SQL.', 'The message names the position.'),
  error([47, 60], [404], 'Unknown column, or unknown view.', 'Look the name up above.'),
  error(
    [53],
    [400],
    'A value has the wrong type, for example the time `2026-08-21T16:10:00Z`.',
    'Write `2026-08-21 16:10:00`.',
  ),
  error([44], [400], 'An argument must be constant, as in `toTimeZone(played_at, timezone)`.', 'Use `local_time`.'),
  error([159], [408], 'The run time is used up.', 'Select a shorter range of time.'),
  error(
    [241],
    [500],
    'The memory is used up. The message says 286.10 MiB, which is 300 MB.',
    'Group by fewer columns, or select a shorter range of time.',
  ),
  error(
    [396],
    [500, 200],
    'The result has too many rows. Without `wait_end_of_query=1`, the error follows rows with status 200.',
    'Aggregate, or select a shorter range of time.',
  ),
  error(
    [201],
    [500],
    'A limit of the hour is used up. The message names it, such as `errors = 505/500`, and the end of the hour in UTC.',
    'Wait until then.',
  ),
  error([452, 164], [500], 'A setting beyond its limit, or a setting that is fixed.', 'Leave it out.'),
  error([497], [500], 'No access: analysts only read, and only the views.', 'Use the views.'),
  error(
    [395],
    [500],
    'Tables are being verified after a start of ClickHouse, or damaged rows are being rebuilt.',
    'Retry later.',
  ),
];
