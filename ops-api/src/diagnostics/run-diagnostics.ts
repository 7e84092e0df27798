import { checkAnalystViews, checkGenerations, checkSchema } from './schema-checks.ts';
import { checkNats, checkService, engineChecks } from './connection-checks.ts';
import { type DiagnosticCheck, type Engine, type Finding, runCheck, runCheckUnlessDown } from './findings.ts';
import { checkClocks, checkDisks, checkParts, checkSettings } from './resource-checks.ts';
import type { DiagnosticsDependencies } from './dependencies.ts';
import { checkRunningProjections, checkProjections } from './projection-checks.ts';
import { checkJobs, checkMigrations, checkQuarantine, checkSigningKey } from './work-checks.ts';

const checksOf = (parts: DiagnosticsDependencies, away: ReadonlySet<Engine>): readonly DiagnosticCheck[] => [
  { name: 'nats', needs: [], run: () => checkNats(parts) },
  { name: 'migrations of postgresql', needs: ['postgresql'], run: () => checkMigrations(parts) },
  { name: 'schema of clickhouse', needs: ['clickhouse', 'postgresql'], run: () => checkSchema(parts) },
  { name: 'generations', needs: ['clickhouse', 'postgresql'], run: () => checkGenerations(parts) },
  { name: 'views of analysts', needs: ['clickhouse', 'postgresql'], run: () => checkAnalystViews(parts) },
  { name: 'settings of clickhouse', needs: ['clickhouse'], run: () => checkSettings(parts) },
  { name: 'parts of clickhouse', needs: ['clickhouse'], run: () => checkParts(parts) },
  {
    name: 'projections',
    needs: [],
    run: () => (away.has('postgresql') ? Promise.resolve(checkRunningProjections(parts)) : checkProjections(parts)),
  },
  { name: 'bulk jobs', needs: ['clickhouse'], run: () => checkJobs(parts) },
  { name: 'quarantine', needs: ['clickhouse'], run: () => checkQuarantine(parts) },
  { name: 'clocks', needs: [], run: () => checkClocks(parts, away) },
  { name: 'disks', needs: [], run: () => checkDisks(parts, away) },
  { name: 'signing key', needs: ['postgresql'], run: () => checkSigningKey(parts) },
  ...parts.services.map((service): DiagnosticCheck => ({
    name: service.name,
    needs: [],
    run: () => checkService(service),
  })),
];

/**
 * Runs all checks. The engines come first: checks that need an engine that does not answer are skipped, so that each problem is
 * reported once. Every check has its own timeout and runs independently of the others.
 */
export const runDiagnostics = async (parts: DiagnosticsDependencies): Promise<readonly Finding[]> => {
  const engines = engineChecks(parts);
  const answers = await Promise.all(
    engines.map(({ engine, run }) => runCheck({ name: engine, run: async () => [await run()] })),
  );
  const away = new Set(
    engines
      .filter((_, index) => answers[index]!.some(({ outcome }) => outcome === 'failed'))
      .map(({ engine }) => engine),
  );
  const others = await Promise.all(checksOf(parts, away).map((check) => runCheckUnlessDown(check, away)));
  return [...answers.flat(), ...others.flat()];
};
