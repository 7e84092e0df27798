import { AsyncLocalStorage } from 'node:async_hooks';
import { type Link, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Log } from './log.ts';
import { type OpenSpan, parseTraceContext, type SpanOptions, type TraceContext, type Tracer } from './spans.ts';

const logExportFailures = (exporter: SpanExporter, log: Log): SpanExporter => {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const { error } = result;
        if (error && !isFailing)
          log.warn({ err: error }, 'failed to export spans; they are dropped until the export recovers');
        if (!error && isFailing) log.info('span export recovered');
        isFailing = error !== undefined;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush!() }),
  };
};

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  internal: SpanKind.INTERNAL,
};

const spanContextOf = (traceContext: TraceContext) => {
  const read = parseTraceContext(traceContext);
  return read && { traceId: read.traceId, spanId: read.spanId, traceFlags: read.flags, isRemote: true };
};

const linksTo = (traceContexts: readonly TraceContext[]): Link[] =>
  traceContexts.flatMap((traceContext) => {
    const context = spanContextOf(traceContext);
    return context ? [{ context }] : [];
  });

const parentOf = (from: TraceContext | undefined, current: Span | undefined) => {
  if (from === undefined) return current && trace.setSpan(ROOT_CONTEXT, current);
  const remote = spanContextOf(from);
  return remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
};

const errorName = (error: unknown): string => (error instanceof Error ? error.name : 'error');

/** The OpenTelemetry SDK reads its own environment variables. */
export const openTelemetry = (
  service: string,
  log: Log,
): { readonly tracer: Tracer; readonly stop: () => Promise<void> } => {
  const own = resourceFromAttributes({ 'service.name': service, 'process.pid': process.pid });
  const fromEnvironment = detectResources({ detectors: [envDetector] });
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(own).merge(fromEnvironment),
    spanProcessors: [new BatchSpanProcessor(logExportFailures(new OTLPTraceExporter(), log))],
  });
  const spans = provider.getTracer('popsvc');
  const currentSpan = new AsyncLocalStorage<Span | undefined>();

  const note = (span: Span, attributes: SpanOptions['attributes']) => {
    span.setAttributes(attributes);
    if ('error.type' in attributes) span.setStatus({ code: SpanStatusCode.ERROR });
  };
  const openSpan = (span: Span): OpenSpan => ({
    run: (work) => currentSpan.run(span, work),
    setAttributes: (attributes) => note(span, attributes),
    recordError: (error) => note(span, { 'error.type': errorName(error) }),
    end: () => span.end(),
  });

  const tracer: Tracer = {
    open({ name, kind, attributes, parent: from, links = [] }) {
      const current = currentSpan.getStore();
      const context = from === undefined && !current?.isRecording() ? undefined : parentOf(from, current);
      if (!context) return undefined;
      return openSpan(spans.startSpan(name, { kind: kinds[kind], attributes, links: linksTo(links) }, context));
    },
    setAttributes(attributes) {
      const current = currentSpan.getStore();
      if (current) note(current, attributes);
    },
    currentContext() {
      const current = currentSpan.getStore();
      if (!current) return undefined;
      const { traceId, spanId, traceFlags } = current.spanContext();
      return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
    },
    runOutside: (work) => currentSpan.run(undefined, work),
  };
  return { tracer, stop: () => provider.shutdown() };
};
