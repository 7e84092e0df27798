import { AsyncLocalStorage } from 'node:async_hooks';
import { type Link, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Log } from './log.ts';
import { logExportFailures } from './telling.ts';
import type { OpenSpan, SpanOptions, Tracer, TraceContext } from './tracer.ts';
import { parseTraceContext } from './trail.ts';

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  work: SpanKind.INTERNAL,
};

const placeOf = (trail: TraceContext) => {
  const read = parseTraceContext(trail);
  return read && { traceId: read.traceId, spanId: read.spanId, traceFlags: read.flags, isRemote: true };
};

const linksTo = (trails: readonly TraceContext[]): Link[] =>
  trails.flatMap((trail) => {
    const context = placeOf(trail);
    return context ? [{ context }] : [];
  });

const parentOf = (from: TraceContext | undefined, current: Span | undefined) => {
  if (from === undefined) return current && trace.setSpan(ROOT_CONTEXT, current);
  const place = placeOf(from);
  return place ? trace.setSpanContext(ROOT_CONTEXT, place) : ROOT_CONTEXT;
};

const kindOf = (error: unknown): string => (error instanceof Error ? error.name : 'error');

/** The tracer over OpenTelemetry, which reads its own variables, and how to be rid of it: what it still holds is sent first. */
export const openTelemetry = (
  service: string,
  log: Log,
): { readonly tracer: Tracer; readonly stop: () => Promise<void> } => {
  const own = resourceFromAttributes({ 'service.name': service, 'process.pid': process.pid });
  const told = detectResources({ detectors: [envDetector] });
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(own).merge(told),
    spanProcessors: [new BatchSpanProcessor(logExportFailures(new OTLPTraceExporter(), log))],
  });
  const spans = provider.getTracer('popsvc');
  const underWay = new AsyncLocalStorage<Span | undefined>();

  const note = (span: Span, attributes: SpanOptions['attributes']) => {
    span.setAttributes(attributes);
    if ('error.type' in attributes) span.setStatus({ code: SpanStatusCode.ERROR });
  };
  const opened = (span: Span): OpenSpan => ({
    run: (work) => underWay.run(span, work),
    setAttributes: (attributes) => note(span, attributes),
    recordError: (error) => note(span, { 'error.type': kindOf(error) }),
    end: () => span.end(),
  });

  const tracer: Tracer = {
    open({ name, kind, attributes, parent: from, links = [] }) {
      const current = underWay.getStore();
      // Within one that is not exported, or over, there is nothing to tell.
      const context = from === undefined && !current?.isRecording() ? undefined : parentOf(from, current);
      if (!context) return undefined;
      return opened(spans.startSpan(name, { kind: kinds[kind], attributes, links: linksTo(links) }, context));
    },
    setAttributes(attributes) {
      const current = underWay.getStore();
      if (current) note(current, attributes);
    },
    currentContext() {
      const current = underWay.getStore();
      if (!current) return undefined;
      const { traceId, spanId, traceFlags } = current.spanContext();
      return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
    },
    runOutside: (work) => underWay.run(undefined, work),
  };
  return { tracer, stop: () => provider.shutdown() };
};
