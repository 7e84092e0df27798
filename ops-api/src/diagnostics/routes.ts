import { Instant, instantOf } from '@popsvc/contracts/time';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { z } from 'zod';
import { noParameters, parseSwitches } from '../parameters.ts';
import type { OpsDependencies } from '../dependencies.ts';
import { outcomes } from './findings.ts';

const FindingSchema = z
  .object({
    check: z.string().describe('What was looked at.'),
    outcome: z
      .enum(outcomes)
      .describe(
        '`warning`: it works and will not for ever; `failed`: something does not work; `skipped`: what it needs does not answer.',
      ),
    found: z.string(),
    advice: z.string().nullable().describe('What to do about it; null where nothing is to be done.'),
  })
  .meta({ id: 'Finding' });

const DiagnosticsResponse = z.object({
  at: Instant,
  outcome: z.enum(['ok', 'warning', 'failed']).describe('The worst of all.'),
  findings: z.array(FindingSchema),
});

/** Asked most of all when something is away, so it depends on no store: what does not answer is an answer. */
export const doctorRoute = ({ runDiagnostics }: Pick<OpsDependencies, 'runDiagnostics'>): Route => ({
  method: 'get',
  path: '/ops/v1/doctor',
  summary: 'What is wrong with the service, and what to do about it.',
  description:
    'Looks at every engine, at the schema, the projections, clocks, disks and at what waits. It answers within ten seconds, also while engines are away or hang.',
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
