import { z } from 'zod';
import { secret, url } from './config.ts';

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** The OpenTelemetry SDK reads these variables itself, but silently ignores invalid values. */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http:', 'https:')
    .optional()
    .describe('Base URL of an OTLP collector (HTTP, JSON); traces go to `/v1/traces`. Unset: tracing is off.'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url('http:', 'https:')
    .optional()
    .describe('Full URL for traces, used unchanged instead of the base URL.'),
  OTEL_EXPORTER_OTLP_HEADERS: secret()
    .optional()
    .describe('Headers sent to the collector, such as a credential: `name=value`, separated by commas.'),
  OTEL_RESOURCE_ATTRIBUTES: z
    .string()
    .optional()
    .describe('Additional attributes of all spans, such as `deployment.environment.name=production`.'),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers)
    .optional()
    .describe('Which traces are exported: one of the samplers of OpenTelemetry; unset: `parentbased_always_on`.'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1')
    .optional()
    .describe('The sampled share of traces, from 0 to 1, for the samplers with `ratio`.'),
};
