import { deadline, type Log } from '../runtime/index.ts';
import { traceWith } from './traced.ts';

/** A collector that does not answer must not keep a process from its end. */
const lastWordsMs = 2_000;

export interface TracingConfig {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
}

/**
 * Traces this process under a name, if its environment says where to; else nothing of OpenTelemetry is even loaded. Ends with
 * what the returned function does, which sends what is left.
 */
export const startTracing = async (service: string, config: TracingConfig, log: Log): Promise<() => Promise<void>> => {
  const isWanted = config.OTEL_EXPORTER_OTLP_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  if (isWanted === undefined || process.env['OTEL_SDK_DISABLED'] === 'true') return () => Promise.resolve();
  const { openTelemetry } = await import('./opentelemetry.ts');
  const { tracer, stop } = openTelemetry(service, log);
  traceWith(tracer);
  return async () => {
    traceWith(undefined);
    await deadline(stop(), lastWordsMs, 'sending the last traces').catch(() => undefined);
  };
};
