/** A position in a trace, in W3C Trace Context format: `00-<trace>-<span>-<flags>`. */
export type TraceContext = string;

export type SpanAttributes = Readonly<Record<string, string | number>>;

export interface SpanOptions {
  /** Low cardinality: ids belong into attributes. */
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'internal';
  readonly attributes: SpanAttributes;
  /**
   * The parent: `new` starts a trace, a trace context continues that trace (an unreadable one starts a new trace). Without it,
   * the parent is the current span; without a current span, no span is created.
   */
  readonly parent?: TraceContext | undefined;
  readonly links?: readonly TraceContext[];
}

/** An open span. */
export interface OpenSpan {
  /** Runs work with this span as the current one, including its asynchronous continuations. */
  run<T>(work: () => T): T;
  setAttributes(attributes: SpanAttributes): void;
  /** Records the name of an error only: its message may contain anything. */
  recordError(error: unknown): void;
  end(): void;
}

/** Creates spans. A process that exports no traces has no tracer. */
export interface Tracer {
  open(options: SpanOptions): OpenSpan | undefined;
  setAttributes(attributes: SpanAttributes): void;
  currentContext(): TraceContext | undefined;
  /** Runs work without a current span. */
  runOutside<T>(work: () => T): T;
}

const traceparentFormat = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

interface ParsedTraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

const zeros = /^0+$/;

/** Parses a trace context; undefined if it is invalid. */
export const parseTraceContext = (context: string): ParsedTraceContext | undefined => {
  const [, traceId = '', spanId = '', flags = ''] = traceparentFormat.exec(context) ?? [];
  if (traceId === '' || zeros.test(traceId) || zeros.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
};

/** Whether the sampled flag is set. */
export const isSampled = (context: string | undefined): context is TraceContext =>
  context !== undefined && ((parseTraceContext(context)?.flags ?? 0) & 1) === 1;

/** One tracer per process, like the async context it uses; passing it as a dependency would add it to every signature. */
let tracer: Tracer | undefined;

export const setTracer = (next: Tracer | undefined): void => {
  tracer = next;
};

export const isTracingEnabled = (): boolean => tracer !== undefined;

const runIn = async <T>(span: OpenSpan, work: () => Promise<T>): Promise<T> => {
  try {
    return await span.run(work);
  } catch (error) {
    span.recordError(error);
    throw error;
  } finally {
    span.end();
  }
};

/** Runs work in a span if tracing is enabled. `options` is called only then. */
export const runInSpan = <T>(options: () => SpanOptions, work: () => Promise<T>): Promise<T> => {
  const span = tracer?.open(options());
  return span ? runIn(span, work) : work();
};

async function* iterateIn<T>(span: OpenSpan, source: AsyncIterable<T>): AsyncGenerator<T> {
  let count = 0;
  try {
    for await (const item of source) {
      count += 1;
      yield item;
    }
  } catch (error) {
    span.recordError(error);
    throw error;
  } finally {
    span.setAttributes({ 'popsvc.count': count });
    span.end();
  }
}

/** Iterates a source in a span that ends with the iteration. */
export const iterateInSpan = <T>(options: () => SpanOptions, source: () => AsyncIterable<T>): AsyncIterable<T> => {
  const span = tracer?.open(options());
  return span ? iterateIn(span, source()) : source();
};

/** Adds attributes to the current span. */
export const setSpanAttributes = (attributes: () => SpanAttributes): void => tracer?.setAttributes(attributes());

/** Returns the trace context of the current span, to be stored or sent along; undefined outside of spans. */
export const currentTraceContext = (): TraceContext | undefined => tracer?.currentContext();

/** Returns the log field that links a line to its trace. */
export const traceLogFields = (): { readonly trace_id?: string } => {
  const read = parseTraceContext(tracer?.currentContext() ?? '');
  return read ? { trace_id: read.traceId } : {};
};

/** Runs work outside of the current span, for background work that outlives its caller. */
export const runOutsideSpans = <T>(work: () => T): T => (tracer ? tracer.runOutside(work) : work());
