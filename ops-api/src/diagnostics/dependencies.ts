import type { Check, Finding, Store } from '@popsvc/contracts/diagnostics';
import type { ClickHouseReader, ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { EventStore } from '@popsvc/platform/event-store';
import type { NatsStatus } from '@popsvc/platform/message-bus';
import type { Postgres, SecretSealer } from '@popsvc/platform/postgres';
import type { ProjectionDeclaration } from '@popsvc/read-models/generations';

/** A store, or a shard of ClickHouse, without which a check is skipped. */
export type Need = Exclude<Store, 'clickhouse'> | CheckedShard;

/** The address of another process in the installation. */
export interface ServiceEndpoint {
  readonly name: string;
  readonly url: string;
  /** The name of the environment variable that contains the address. */
  readonly variable: string;
}

/** A projection that this process runs or waits for. */
export interface RunningProjection {
  readonly name: string;
  readonly generation: number;
  readonly state: string;
  readonly error: string | undefined;
  /** Whether the process counts as not ready, or as degraded, while this projection is starting, failing or in need of a rebuild. */
  readonly isNeeded: boolean;
  /** When the newest projected event was appended, in ms since 1970; 0 if no event has been projected yet. */
  readonly asOfMs: number;
}

/** A shard of ClickHouse with the projections of its networks. */
export interface CheckedShard {
  readonly writer: ClickHouseWriter;
  readonly reader: ClickHouseReader;
  readonly declarations: readonly ProjectionDeclaration[];
}

export const defaultCheckTimeoutMs = 4_000;

export interface DiagnosticsDependencies {
  readonly store: EventStore;
  readonly shards: readonly CheckedShard[];
  readonly postgres: Postgres;
  /** Decrypts the signing key and the secrets of webhooks. */
  readonly secretSealer: SecretSealer;
  /** Whether commits in PostgreSQL must wait for a standby. */
  readonly requireSyncStandby: boolean;
  /** Reads the state of NATS; undefined when NATS is not used. */
  readonly bus?: (() => Promise<NatsStatus>) | undefined;
  readonly listRunningProjections: () => readonly RunningProjection[];
  /** Folders whose free disk space is checked, and which may contain results of backups and of checks of the event log. */
  readonly folders: readonly string[];
  readonly services: readonly ServiceEndpoint[];
  /** Maximum duration of each check. Default: `defaultCheckTimeoutMs`. */
  readonly checkTimeoutMs?: number;
}

export interface ShardDependencies extends CheckedShard, Pick<DiagnosticsDependencies, 'postgres'> {}

interface CheckEvaluation {
  readonly check: Check;
  /** Stores without which the check is skipped. */
  readonly needs?: readonly Store[];
}

/** A check that is evaluated once. `down` contains the stores and shards whose own checks failed. */
export interface ServiceEvaluation extends CheckEvaluation {
  readonly needs?: readonly Exclude<Store, 'clickhouse'>[];
  evaluate(dependencies: DiagnosticsDependencies, down: ReadonlySet<Need>): Promise<readonly Finding[]>;
}

/**
 * A check of ClickHouse. It is evaluated for each shard or, if all shards have the same rows, once for a shard, if possible one that
 * answers.
 */
export interface ShardEvaluation extends CheckEvaluation {
  readonly scope: 'each shard' | 'any shard';
  evaluate(shard: ShardDependencies): Promise<readonly Finding[]>;
}

export type Evaluation = ServiceEvaluation | ShardEvaluation;
