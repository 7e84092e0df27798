export { createLog, type Log, type LogLevel, logLevels } from './log.ts';
export { Counter, createMetrics, Gauge, Histogram, latencyBucketsSeconds, type Registry } from './metrics.ts';
export { startTracing, type TracingConfig } from './start-tracing.ts';
export {
  currentTraceContext,
  isTracingEnabled,
  iterateInSpan,
  runInSpan,
  runOutsideSpans,
  setSpanAttributes,
  traceLogFields,
} from './traced.ts';
export type { SpanAttributes, SpanOptions, TraceContext } from './tracer.ts';
export { isSampled } from './trail.ts';
