import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.ts';
import { setTracer } from './spans.ts';

const defaultFinalExportTimeoutMs = 2_000;

export interface TracingConfig {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
}

/** The returned function stops tracing and exports the remaining spans, for at most `finalExportTimeoutMs`. */
export const startTracing = async (
  service: string,
  config: TracingConfig,
  log: Log,
  finalExportTimeoutMs = defaultFinalExportTimeoutMs,
): Promise<() => Promise<void>> => {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  if (endpoint === undefined || process.env['OTEL_SDK_DISABLED'] === 'true') return () => Promise.resolve();
  const { openTelemetry } = await import('./opentelemetry.ts');
  const { tracer, stop } = openTelemetry(service, log);
  setTracer(tracer);
  return async () => {
    setTracer(undefined);
    const timeout = new AbortController();
    const stopped = stop().finally(() => timeout.abort());
    await Promise.race([stopped, sleep(finalExportTimeoutMs, undefined, { signal: timeout.signal })]).catch(
      () => undefined,
    );
  };
};
