import type { OperatorSessions } from '@popsvc/platform/auth';
import type { EventStore } from '@popsvc/platform/event-store';
import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import type { Postgres } from '@popsvc/platform/postgres';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';
import type { Log } from '@popsvc/platform/telemetry';
import type { AnalystLogins } from './analysts/index.ts';
import type { Finding } from './diagnostics/findings.ts';

/** How a projection stands, as operators are told. */
export interface ListedProjection {
  readonly name: string;
  readonly generation: number;
  readonly state: string;
  /** Position in the log up to which everything is projected. */
  readonly position: string;
  /** Events in the log that are not projected yet: up to a thousand counted, more estimated; null where the log does not tell. */
  readonly lag_events: number | null;
  /** Age of what was projected last; null before the first event. */
  readonly lag_seconds: number | null;
  /** Events that could not be projected and were set aside. */
  readonly parked: number;
  /** Why it does not get on; null while it does. */
  readonly error: string | null;
  /** The generation readers could go back to; null when none is kept. */
  readonly kept: number | null;
  /** Whether an older version of the projection built it: a replay brings what this one knows. */
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
  /** ClickHouse as analysts reach it. */
  readonly analystsUrl: string;
  readonly readProjections: () => Promise<readonly ListedProjection[]>;
  /** What is wrong with the service. Never throws, and depends on no store. */
  readonly runDiagnostics: () => Promise<readonly Finding[]>;
  /** Zones the reports can compute with. */
  readonly readTimeZones: () => Promise<ReadonlySet<string>>;
  /** Of browsers that were given the operator token. */
  readonly sessions: OperatorSessions;
  /** Aborted when the server stops, so that what is followed ends; without it, it ends when the reader leaves. */
  readonly stopping?: AbortSignal | undefined;
}
