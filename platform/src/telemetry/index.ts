export { createLog, type Log, type LogLevel, logLevels } from './log.ts';
export { Counter, Gauge, Histogram, type Registry } from 'prom-client';
export { createMetrics, latencyBucketsSeconds } from './metrics.ts';
export { startTracing, type TracingConfig } from './start-tracing.ts';
export {
  currentTraceContext,
  isSampled,
  isTracingEnabled,
  iterateInSpan,
  runInSpan,
  runOutsideSpans,
  setSpanAttributes,
  type SpanAttributes,
  type SpanOptions,
  type TraceContext,
  traceLogFields,
} from './spans.ts';
