import { Instant, instantOf } from '@popsvc/contracts/time';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { z } from 'zod';
import { noParameters, parseSwitches } from '../parameters.ts';
import type { OpsDependencies } from '../dependencies.ts';
import { outcomes } from './findings.ts';

const FindingSchema = z
  .object({
    check: z.string().describe('The subject of the check.'),
    outcome: z
      .enum(outcomes)
      .describe(
        '`warning`: it works and will not for ever; `failed`: something does not work; `skipped`: what it needs does not answer.',
      ),
    found: z.string(),
    advice: z.string().nullable().describe('What to do about it; null if nothing.'),
  })
  .meta({ id: 'Finding' });

const DiagnosticsResponse = z.object({
  at: Instant,
  outcome: z.enum(['ok', 'warning', 'failed']).describe('The most severe outcome of all findings.'),
  findings: z.array(FindingSchema),
});

/** Depends on no store: it must respond during outages. */
export const doctorRoute = ({ runDiagnostics }: Pick<OpsDependencies, 'runDiagnostics'>): Route => ({
  method: 'get',
  path: '/ops/v1/doctor',
  summary: 'Diagnoses the service: problems, and what to do about them.',
  description:
    'Checks every engine, the schema, projections, clocks, disks, jobs and the quarantine. Responds within ten seconds, even when engines are down or hang.',
  operationId: 'examineService',
  access: 'operator',
  examples: [{ name: 'all' }],
  schemas: { query: noParameters, responses: { 200: DiagnosticsResponse } },
  async handle({ query }) {
    parseSwitches(query, []);
    const findings = await runDiagnostics();
    const has = (outcome: string) => findings.some((finding) => finding.outcome === outcome);
    const outcome = has('failed') ? 'failed' : has('warning') ? 'warning' : 'ok';
    return jsonResponse(200, { at: instantOf(Date.now()), outcome, findings });
  },
});
