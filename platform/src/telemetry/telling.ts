import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Log } from './log.ts';

/** Says once that nobody takes the spans, and once that somebody does again; those that nobody took are lost. */
export const logExportFailures = (exporter: SpanExporter, log: Log): SpanExporter => {
  let isLost = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const { error } = result;
        if (error && !isLost) log.warn({ err: error }, 'traces cannot be exported; they are dropped until they can');
        if (!error && isLost) log.info('traces are exported again');
        isLost = error !== undefined;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush!() }),
  };
};
