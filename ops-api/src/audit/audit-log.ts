import { randomUUID } from 'node:crypto';
import { auditStream, OperatorActionRecorded } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { OperatorPrincipal } from '@popsvc/http-kit/auth';
import type { EventStore, ReadStreamOptions } from '@popsvc/platform/event-store';
import type { RouteRequest } from '@popsvc/http-kit/server';
import type { Log } from '@popsvc/platform/telemetry';
import { appendEvents } from '../requests/append-events.ts';

/** The actor of requests that present the operator token, and of sessions opened with it. No account can have this name. */
export const operatorTokenActor = 'operator-token';

/** What an operator did, and with which outcome. `recordAction` adds who did it, when and from which address. */
export type OperatorAction = Pick<OperatorActionRecorded, 'action' | 'target' | 'outcome'>;

/** Appends an action to the audit stream. Resolves once the event is stored. */
export const recordAction = async (
  store: Pick<EventStore, 'append'>,
  { account, role }: Pick<OperatorPrincipal, 'account' | 'role'>,
  { requestId, remoteAddress: address }: Pick<RouteRequest, 'requestId' | 'remoteAddress'>,
  action: OperatorAction,
): Promise<void> => {
  const at = instantOf(Date.now());
  const data: OperatorActionRecorded = {
    actor: account ?? operatorTokenActor,
    role,
    ...action,
    // A dual-stack socket reports an IPv4 address as `::ffff:192.0.2.1`.
    address: address.replace(/^::ffff:/, ''),
    at,
  };
  const { type, version: schemaVersion } = OperatorActionRecorded;
  const metadata = { schemaVersion, receivedAt: at, requestId };
  await appendEvents(store, auditStream, [{ id: randomUUID(), type, data, metadata }], 'any');
};

/** An action in the audit stream, identified by its revision. */
export interface RecordedAction extends OperatorActionRecorded {
  readonly revision: bigint;
  readonly requestId: string | null;
}

export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: OperatorActionRecorded['outcome'] | undefined;
  /** Only actions at or after this time, ms since 1970. */
  readonly since?: number | undefined;
  /** Only actions before this time, ms since 1970. */
  readonly until?: number | undefined;
  /** Cursor: only actions before this revision. */
  readonly before?: bigint | undefined;
  readonly limit: number;
}

export interface AuditPage {
  /** Newest first. */
  readonly actions: readonly RecordedAction[];
  /** The revision before which the next page begins; undefined if no older action can match. */
  readonly next: bigint | undefined;
}

/** Maximum number of events that a request reads. A page with a filter may therefore have fewer actions than its limit, or none. */
const maxReadEvents = 10_000;

const matches = (data: OperatorActionRecorded, { actor, action, outcome, until }: AuditFilter): boolean =>
  (actor === undefined || data.actor === actor) &&
  (action === undefined || data.action === action) &&
  (outcome === undefined || data.outcome === outcome) &&
  (until === undefined || Date.parse(data.at) < until);

/** Reads a page of the audit stream, newest first. Skips events that it cannot read, such as those of newer releases. */
export const readAuditPage = async (
  store: Pick<EventStore, 'readStream'>,
  filter: AuditFilter,
  log: Log,
): Promise<AuditPage> => {
  const { before, since = -Infinity, limit } = filter;
  if (before === 0n) return { actions: [], next: undefined };
  const actions: RecordedAction[] = [];
  const options: ReadStreamOptions = {
    direction: 'backwards',
    max: maxReadEvents,
    ...(before !== undefined && { from: before - 1n }),
  };
  let last: bigint | undefined;
  for await (const { type, data: stored, metadata, revision } of store.readStream(auditStream, options)) {
    last = revision;
    if (type !== OperatorActionRecorded.type) continue;
    let data: OperatorActionRecorded;
    try {
      data = OperatorActionRecorded.read(stored, metadata.schemaVersion);
    } catch (err) {
      log.warn({ err, revision: revision.toString() }, 'unreadable audit event skipped');
      continue;
    }
    if (Date.parse(data.at) < since) return { actions, next: undefined };
    if (matches(data, filter)) actions.push({ ...data, revision, requestId: metadata.requestId ?? null });
    if (actions.length === limit) break;
  }
  return { actions, next: last === undefined || last === 0n ? undefined : last };
};
