export { createLog, type Log, type LogLevel, logLevels } from './log.ts';
export { Counter, createMetrics, Gauge, Histogram, latencyBucketsSeconds, type Registry } from './metrics.ts';
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
