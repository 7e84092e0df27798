import { type Finding, findingTitle } from '@popsvc/contracts/diagnostics';
import type { Command } from 'commander';
import { CliError } from '../output/cli-error.ts';
import { alignColumns } from '../output/format.ts';
import { printResult } from '../output/print.ts';
import type { ServiceLocation } from '../service-client/find-service.ts';
import type { Connect } from '../service-client/ops-client.ts';
import { checkEngine, checkOperationsServer, checkServiceReady, type Diagnosis } from './checks.ts';

const serviceChecks = (service: ServiceLocation): readonly (() => Promise<Finding>)[] =>
  (
    [
      ['query-api from here', 'POPSVC_QUERY_URL', () => service.queryUrl],
      ['command-api from here', 'POPSVC_INGEST_URL', () => service.ingestUrl],
    ] as const
  ).flatMap(([name, variable, readUrl]) => {
    try {
      const url = readUrl();
      return [() => checkServiceReady(name, url, variable)];
    } catch {
      return [];
    }
  });

const diagnose = (findings: Finding[]): Diagnosis => {
  const has = (outcome: Finding['outcome']) => findings.some((finding) => finding.outcome === outcome);
  const outcome = has('failed') ? 'failed' : has('warning') ? 'warning' : 'ok';
  return { at: new Date().toISOString(), outcome, findings };
};

const outcomeTexts: Readonly<Record<Finding['outcome'], string>> = {
  ok: 'ok',
  warning: 'WARNING',
  failed: 'FAILED',
  skipped: 'skipped',
};
const outcomeWidth = Math.max(...Object.values(outcomeTexts).map((text) => text.length));

/** Successive findings with the same advice share one advice line. */
const formatDiagnosis = ({ findings }: Diagnosis): string => {
  const lines = alignColumns(
    findings.map((finding) => [
      outcomeTexts[finding.outcome].padEnd(outcomeWidth),
      findingTitle(finding),
      finding.found,
    ]),
  );
  const indent = ' '.repeat(outcomeWidth + 2);
  return findings
    .flatMap(({ advice }, index) => [
      lines[index]!,
      ...(advice === null || advice === findings[index + 1]?.advice ? [] : [`${indent}→ ${advice}`]),
    ])
    .join('\n');
};

export const addDoctorCommand = (program: Command, connect: Connect): void => {
  program
    .command('doctor')
    .description('diagnose the service: problems, and what to do about them')
    .action(async (_: object, command: Command) => {
      const { service } = await connect();
      const { hasDiagnosis, findings } = await checkOperationsServer(service);
      // A diagnosis of the operations server already contains more thorough checks of the engines.
      const engines = hasDiagnosis ? [] : service.engines;
      const others = await Promise.all([
        ...serviceChecks(service).map((check) => check()),
        ...engines.map(({ name, address }) => checkEngine(name, address)),
      ]);
      const value = diagnose([...findings, ...others]);
      printResult(command, { value, text: formatDiagnosis(value) });
      const failed = value.findings.filter(({ outcome }) => outcome === 'failed').length;
      if (failed > 0) throw new CliError(`${failed} of ${value.findings.length} checks failed.`);
    });
};
