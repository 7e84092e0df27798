import type { OperatorSessions } from '@popsvc/platform/auth';
import type { EventStore } from '@popsvc/platform/event-store';
import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import type { Postgres } from '@popsvc/platform/postgres';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';
import type { Log } from '@popsvc/platform/telemetry';
import type { AnalystLogins } from './analysts/index.ts';
import type { Finding } from './diagnostics/findings.ts';

/** The state of a projection as `/ops/v1/projections` returns it. */
export interface ListedProjection {
  readonly name: string;
  readonly generation: number;
  readonly state: string;
  /** Log position up to which all events are projected. */
  readonly position: string;
  /** Events not yet projected: counted up to 1,000, estimated above; null when the event store does not answer. */
  readonly lag_events: number | null;
  /** Age of the newest projected event; null before the first event. */
  readonly lag_seconds: number | null;
  /** Number of parked events: those that could not be projected. */
  readonly parked: number;
  /** The error that blocks the projection; null while it makes progress. */
  readonly error: string | null;
  /** The previous generation, available for a rollback; null when none is kept. */
  readonly kept: number | null;
  /** Whether an older version of the projection built the live generation; a replay brings it up to date. */
  readonly outdated: boolean;
}

export interface OpsDependencies {
  /** Every projection of this build. */
  readonly declarations: readonly ProjectionDeclaration[];
  readonly store: EventStore;
  /** Reads the views over the live generations. */
  readonly reader: ClickHouseReader;
  readonly postgres: Postgres;
  readonly log: Log;
  readonly analystLogins: AnalystLogins;
  /** The URL at which analysts reach ClickHouse. */
  readonly analystsUrl: string;
  readonly readProjections: () => Promise<readonly ListedProjection[]>;
  /** Runs all diagnostic checks. Never throws, even if every store is down. */
  readonly runDiagnostics: () => Promise<readonly Finding[]>;
  /** The time zones that ClickHouse can compute with. */
  readonly readTimeZones: () => Promise<ReadonlySet<string>>;
  /** Sessions of browsers that presented the operator token. */
  readonly sessions: OperatorSessions;
  /** Aborted when the server stops: ends open event streams. Without it they end when the client disconnects. */
  readonly stopping?: AbortSignal | undefined;
}
