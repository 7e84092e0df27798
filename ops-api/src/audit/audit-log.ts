import { randomUUID } from 'node:crypto';
import { auditStream, OperatorActionRecorded } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { OperatorPrincipal } from '@popsvc/http-kit/auth';
import type { EventStore, ReadStreamOptions } from '@popsvc/platform/event-store';
import type { RouteRequest } from '@popsvc/http-kit/server';
import type { Log } from '@popsvc/platform/telemetry';
import { appendEvents } from '../requests/append-events.ts';

export const operatorTokenActor = 'operator-token';

export type OperatorAction = Pick<OperatorActionRecorded, 'action' | 'target' | 'outcome'>;

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

export interface RecordedAction extends OperatorActionRecorded {
  readonly revision: bigint;
  readonly requestId: string | null;
}

export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: OperatorActionRecorded['outcome'] | undefined;
  /** In ms since 1970, inclusive. */
  readonly since?: number | undefined;
  /** In ms since 1970, exclusive. */
  readonly until?: number | undefined;
  /** Only actions before this revision. */
  readonly before?: bigint | undefined;
  readonly limit: number;
}

export interface AuditPage {
  /** Newest first. */
  readonly actions: readonly RecordedAction[];
  readonly next: bigint | undefined;
}

/** Number of events that a request reads at most. A page with a filter may therefore be short or empty. */
const maxReadEvents = 10_000;

const matches = (data: OperatorActionRecorded, { actor, action, outcome, until }: AuditFilter): boolean =>
  (actor === undefined || data.actor === actor) &&
  (action === undefined || data.action === action) &&
  (outcome === undefined || data.outcome === outcome) &&
  (until === undefined || Date.parse(data.at) < until);

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
