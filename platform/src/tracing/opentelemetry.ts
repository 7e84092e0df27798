import { AsyncLocalStorage } from 'node:async_hooks';
import { type Link, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Log } from '../runtime/index.ts';
import { telling } from './telling.ts';
import type { OpenSpan, SpanAsked, Tracer, Trail } from './tracer.ts';
import { readTrail } from './trail.ts';

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  work: SpanKind.INTERNAL,
};

const placeOf = (trail: Trail) => {
  const read = readTrail(trail);
  return read && { traceId: read.traceId, spanId: read.spanId, traceFlags: read.flags, isRemote: true };
};

const linksTo = (trails: readonly Trail[]): Link[] =>
  trails.flatMap((trail) => {
    const context = placeOf(trail);
    return context ? [{ context }] : [];
  });

const parentOf = (from: Trail | undefined, current: Span | undefined) => {
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
    spanProcessors: [new BatchSpanProcessor(telling(new OTLPTraceExporter(), log))],
  });
  const spans = provider.getTracer('popsvc');
  const underWay = new AsyncLocalStorage<Span | undefined>();

  const note = (span: Span, attributes: SpanAsked['attributes']) => {
    span.setAttributes(attributes);
    if ('error.type' in attributes) span.setStatus({ code: SpanStatusCode.ERROR });
  };
  const opened = (span: Span): OpenSpan => ({
    within: (work) => underWay.run(span, work),
    note: (attributes) => note(span, attributes),
    failed: (error) => note(span, { 'error.type': kindOf(error) }),
    end: () => span.end(),
  });

  const tracer: Tracer = {
    open({ name, kind, attributes, from, links = [] }) {
      const current = underWay.getStore();
      // Within one that is not exported, or over, there is nothing to tell.
      const parent = from === undefined && !current?.isRecording() ? undefined : parentOf(from, current);
      if (!parent) return undefined;
      return opened(spans.startSpan(name, { kind: kinds[kind], attributes, links: linksTo(links) }, parent));
    },
    note(attributes) {
      const current = underWay.getStore();
      if (current) note(current, attributes);
    },
    here() {
      const current = underWay.getStore();
      if (!current) return undefined;
      const { traceId, spanId, traceFlags } = current.spanContext();
      return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
    },
    outside: (work) => underWay.run(undefined, work),
  };
  return { tracer, stop: () => provider.shutdown() };
};
