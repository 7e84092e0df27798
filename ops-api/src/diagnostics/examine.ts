import { lookAtAnalysts } from './analysts.check.ts';
import { lookAtBus } from './bus.check.ts';
import { type Check, type Engine, looked, lookedWith } from './check.ts';
import { lookAtClocks } from './clocks.check.ts';
import { lookAtDisks } from './disks.check.ts';
import type { DiagnosticsDependencies } from './doctor-parts.ts';
import { engineChecks } from './engines.checks.ts';
import type { Finding } from './finding.ts';
import { lookAtGenerations } from './generations.check.ts';
import { lookAtNeighbour } from './neighbours.check.ts';
import { lookAtParts } from './parts.check.ts';
import { lookAtBoard, lookAtProjections } from './projections.check.ts';
import { lookAtMigrations, lookAtSigningKey } from './records.check.ts';
import { lookAtSchema } from './schema.check.ts';
import { lookAtSettings } from './settings.check.ts';
import { lookAtJobs, lookAtQuarantine } from './work.check.ts';

const checksOf = (parts: DiagnosticsDependencies, away: ReadonlySet<Engine>): readonly Check[] => [
  { name: 'nats', needs: [], look: () => lookAtBus(parts) },
  { name: 'migrations of postgresql', needs: ['postgresql'], look: () => lookAtMigrations(parts) },
  { name: 'schema of clickhouse', needs: ['clickhouse', 'postgresql'], look: () => lookAtSchema(parts) },
  { name: 'generations', needs: ['clickhouse', 'postgresql'], look: () => lookAtGenerations(parts) },
  { name: 'views of analysts', needs: ['clickhouse', 'postgresql'], look: () => lookAtAnalysts(parts) },
  { name: 'settings of clickhouse', needs: ['clickhouse'], look: () => lookAtSettings(parts) },
  { name: 'parts of clickhouse', needs: ['clickhouse'], look: () => lookAtParts(parts) },
  {
    name: 'projections',
    needs: [],
    look: () => (away.has('postgresql') ? Promise.resolve(lookAtBoard(parts)) : lookAtProjections(parts)),
  },
  { name: 'bulk jobs', needs: ['clickhouse'], look: () => lookAtJobs(parts) },
  { name: 'quarantine', needs: ['clickhouse'], look: () => lookAtQuarantine(parts) },
  { name: 'clocks', needs: [], look: () => lookAtClocks(parts, away) },
  { name: 'disks', needs: [], look: () => lookAtDisks(parts, away) },
  { name: 'signing key', needs: ['postgresql'], look: () => lookAtSigningKey(parts) },
  ...parts.services.map((neighbour): Check => ({
    name: neighbour.name,
    needs: [],
    look: () => lookAtNeighbour(neighbour),
  })),
];

/**
 * Looks at everything the service needs and at how it fares. The engines first: what needs one that does not answer is not asked,
 * so that one trouble is told once. Every look has its deadline; none keeps another from being told.
 */
export const runDiagnostics = async (parts: DiagnosticsDependencies): Promise<readonly Finding[]> => {
  const engines = engineChecks(parts);
  const answers = await Promise.all(
    engines.map(({ engine, look }) => looked({ name: engine, look: async () => [await look()] })),
  );
  const away = new Set(
    engines
      .filter((_, index) => answers[index]!.some(({ outcome }) => outcome === 'failed'))
      .map(({ engine }) => engine),
  );
  const others = await Promise.all(checksOf(parts, away).map((check) => lookedWith(check, away)));
  return [...answers.flat(), ...others.flat()];
};
