export { startTracing, type TracingConfig } from './start-tracing.ts';
export { isTracing, note, outsideSpans, traced, tracedEach, traceNamed, trailHere } from './traced.ts';
export type { Attributes, SpanAsked, Trail } from './tracer.ts';
export { tracingVariables } from './tracing-variables.ts';
export { isSampled } from './trail.ts';
