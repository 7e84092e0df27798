import type { Postgres } from '@popsvc/platform/postgres';
import { createSampler } from '@popsvc/platform/runtime';
import { Gauge, type Registry } from '@popsvc/platform/telemetry';

interface Figures {
  readonly parked: readonly { readonly projection: string; readonly events: number }[];
  readonly paused: readonly string[];
  readonly held: readonly string[];
  readonly replays: readonly { readonly projection: string; readonly events: number; readonly total: number | null }[];
  readonly oldestParked: number;
  readonly bytes: number;
}

const sql = `
  SELECT
    coalesce((SELECT jsonb_agg(jsonb_build_object('projection', m.projection, 'events', (
        SELECT count(*) FROM parked_events p
        WHERE p.projection = m.projection AND p.generation = m.live_generation AND p.state = 'parked')))
      FROM read_models m), '[]') AS parked,
    coalesce((SELECT extract(epoch FROM now() - min(parked_at)) FROM parked_events WHERE state = 'parked'), 0)::float8 AS "oldestParked",
    coalesce((SELECT jsonb_agg(projection) FROM read_models WHERE paused_at IS NOT NULL), '[]') AS paused,
    coalesce((SELECT jsonb_agg(projection || ' ' || generation) FROM leases
      WHERE owner = $1 AND expires_at > now()), '[]') AS held,
    coalesce((SELECT jsonb_agg(jsonb_build_object('projection', projection, 'events', events, 'total', total))
      FROM replays WHERE ended_at IS NULL), '[]') AS replays,
    pg_database_size(current_database())::float8 AS bytes`;

/** What stands in PostgreSQL and is worth a figure: what is parked now, what is paused, what this process holds. */
export const registerPostgresMetrics = (metrics: Registry, postgres: Postgres, owner: string): void => {
  const registers = [metrics];
  const read = createSampler(async () => (await postgres.query<Figures>(sql, [owner])).rows[0]!, { maxAgeMs: 5_000 });

  new Gauge({
    name: 'popsvc_parked_events',
    help: 'Events that stand aside now because the live generation could not handle them.',
    labelNames: ['projection'],
    registers,
    async collect() {
      const figures = await read();
      this.reset();
      for (const { projection, events } of figures?.parked ?? []) this.set({ projection }, events);
    },
  });
  new Gauge({
    name: 'popsvc_parked_oldest_seconds',
    help: 'How long ago the oldest event that stands aside was set aside; 0 when none is.',
    registers,
    async collect() {
      const figures = await read();
      if (figures) this.set(figures.oldestParked);
      else this.remove();
    },
  });
  new Gauge({
    name: 'popsvc_projection_paused',
    help: '1 for each projection that an operator has stand still.',
    labelNames: ['projection'],
    registers,
    async collect() {
      const figures = await read();
      this.reset();
      for (const projection of figures?.paused ?? []) this.set({ projection }, 1);
    },
  });
  new Gauge({
    name: 'popsvc_replay_running',
    help: '1 for each projection that is being replayed or rolled back.',
    labelNames: ['projection'],
    registers,
    async collect() {
      const figures = await read();
      this.reset();
      for (const { projection } of figures?.replays ?? []) this.set({ projection }, 1);
    },
  });
  new Gauge({
    name: 'popsvc_replay_progress_ratio',
    help: 'How much of a replay is done, from 0 to 1, where it is known how much there is.',
    labelNames: ['projection'],
    registers,
    async collect() {
      const figures = await read();
      this.reset();
      for (const { projection, events, total } of figures?.replays ?? [])
        if (total) this.set({ projection }, Math.min(1, events / total));
    },
  });
  new Gauge({
    name: 'popsvc_leases_held',
    help: 'Leases this process holds: generations it writes, and what else one process at a time does.',
    registers,
    async collect() {
      const figures = await read();
      if (figures) this.set(figures.held.length);
      else this.remove();
    },
  });
  new Gauge({
    name: 'popsvc_database_bytes',
    help: 'What the database in PostgreSQL takes on disk.',
    registers,
    async collect() {
      const figures = await read();
      if (figures) this.set(figures.bytes);
      else this.remove();
    },
  });
};
