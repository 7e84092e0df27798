import type { NatsStatus } from '@popsvc/platform/message-bus';
import type { EventStore } from '@popsvc/platform/event-store';
import type { ClickHouseReader, ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Postgres } from '@popsvc/platform/postgres';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';

/** Another process of the service, as this one reaches it. */
export interface ServiceEndpoint {
  readonly name: string;
  readonly url: string;
  /** The variable that says where it is. */
  readonly variable: string;
}

/** A projection that this process runs or waits for, as this process knows it. */
export interface RunningProjection {
  readonly name: string;
  readonly generation: number;
  readonly state: string;
  readonly error: string | undefined;
  /** Whether the service is not ready without it. */
  readonly isNeeded: boolean;
  /** When the newest projected event was appended, ms since 1970; 0 before the first. */
  readonly asOfMs: number;
}

/** What doctor looks at. */
export interface DiagnosticsDependencies {
  readonly store: EventStore;
  readonly writer: ClickHouseWriter;
  readonly reader: ClickHouseReader;
  readonly postgres: Postgres;
  /** Undefined: the bus is the log, and there is no NATS. */
  readonly bus?: (() => Promise<NatsStatus>) | undefined;
  readonly listRunningProjections: () => readonly RunningProjection[];
  readonly declarations: readonly ProjectionDeclaration[];
  /** Folders whose disks must not be full. */
  readonly folders: readonly string[];
  readonly services: readonly ServiceEndpoint[];
}
