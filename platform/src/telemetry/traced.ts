import type { SpanAttributes, OpenSpan, SpanOptions, Tracer, TraceContext } from './tracer.ts';
import { parseTraceContext } from './trail.ts';

/** One a process, as the context it follows is: handed on as a part it would stand in every signature between. */
let tracer: Tracer | undefined;

export const setTracer = (next: Tracer | undefined): void => {
  tracer = next;
};

export const isTracingEnabled = (): boolean => tracer !== undefined;

const spanned = async <T>(span: OpenSpan, work: () => Promise<T>): Promise<T> => {
  try {
    return await span.run(work);
  } catch (error) {
    span.recordError(error);
    throw error;
  } finally {
    span.end();
  }
};

/** Does the work, within a span where traces are exported; what is asked of the span is made only there. */
export const runInSpan = <T>(asked: () => SpanOptions, work: () => Promise<T>): Promise<T> => {
  const span = tracer?.open(asked());
  return span ? spanned(span, work) : work();
};

async function* spannedEach<T>(span: OpenSpan, source: AsyncIterable<T>): AsyncGenerator<T> {
  let count = 0;
  try {
    for await (const piece of source) {
      count += 1;
      yield piece;
    }
  } catch (error) {
    span.recordError(error);
    throw error;
  } finally {
    span.setAttributes({ 'popsvc.count': count });
    span.end();
  }
}

/** What comes piece by piece, within a span until the last piece is taken. */
export const iterateInSpan = <T>(asked: () => SpanOptions, source: () => AsyncIterable<T>): AsyncIterable<T> => {
  const span = tracer?.open(asked());
  return span ? spannedEach(span, source()) : source();
};

/** Tells more of the span that is under way. */
export const setSpanAttributes = (attributes: () => SpanAttributes): void => tracer?.setAttributes(attributes());

/** Where we are, for whoever goes on with it; undefined outside of all spans. */
export const currentTraceContext = (): TraceContext | undefined => tracer?.currentContext();

/** For a line of the log: which trace it belongs to. */
export const traceLogFields = (): { readonly trace_id?: string } => {
  const read = parseTraceContext(tracer?.currentContext() ?? '');
  return read ? { trace_id: read.traceId } : {};
};

/** Starts what outlives whoever happens to start it. */
export const runOutsideSpans = <T>(work: () => T): T => (tracer ? tracer.runOutside(work) : work());
