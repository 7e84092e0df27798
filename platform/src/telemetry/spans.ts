/** W3C Trace Context: `00-<trace>-<span>-<flags>`. */
export type TraceContext = string;

export type SpanAttributes = Readonly<Record<string, string | number>>;

export interface SpanOptions {
  /** Must have low cardinality, so ids belong in the attributes. */
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'internal';
  readonly attributes: SpanAttributes;
  /**
   * Undefined: the current span. Without a current span that records, no span is created. An invalid context, such as `new`, begins a new
   * trace.
   */
  readonly parent?: TraceContext | undefined;
  readonly links?: readonly TraceContext[];
}

export interface OpenSpan {
  run<T>(work: () => T): T;
  setAttributes(attributes: SpanAttributes): void;
  /** Records only the name of the error, because its message may contain personal or secret data. */
  recordError(error: unknown): void;
  end(): void;
}

export interface Tracer {
  open(options: SpanOptions): OpenSpan | undefined;
  setAttributes(attributes: SpanAttributes): void;
  currentContext(): TraceContext | undefined;
  runOutside<T>(work: () => T): T;
}

const traceparentFormat = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

interface ParsedTraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

const zeros = /^0+$/;

export const parseTraceContext = (context: string): ParsedTraceContext | undefined => {
  const [, traceId = '', spanId = '', flags = ''] = traceparentFormat.exec(context) ?? [];
  if (traceId === '' || zeros.test(traceId) || zeros.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
};

export const isSampled = (context: string | undefined): context is TraceContext =>
  context !== undefined && ((parseTraceContext(context)?.flags ?? 0) & 1) === 1;

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

/** If tracing is disabled, runs `work` without calling `options`. */
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

/** The span ends when the iteration ends, and its attribute `popsvc.count` is the number of items. */
export const iterateInSpan = <T>(options: () => SpanOptions, source: () => AsyncIterable<T>): AsyncIterable<T> => {
  const span = tracer?.open(options());
  return span ? iterateIn(span, source()) : source();
};

export const setSpanAttributes = (attributes: () => SpanAttributes): void => tracer?.setAttributes(attributes());

export const currentTraceContext = (): TraceContext | undefined => tracer?.currentContext();

export const traceLogFields = (): { readonly trace_id?: string } => {
  const read = parseTraceContext(tracer?.currentContext() ?? '');
  return read ? { trace_id: read.traceId } : {};
};

/** Runs `work` without a current span. Use this for background work that outlives its caller. */
export const runOutsideSpans = <T>(work: () => T): T => (tracer ? tracer.runOutside(work) : work());
