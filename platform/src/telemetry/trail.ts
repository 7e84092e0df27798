import type { TraceContext } from './tracer.ts';

const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

export interface ParsedTraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

const nothing = /^0+$/;

/** What a trail says; undefined where it is none. */
export const parseTraceContext = (trail: string): ParsedTraceContext | undefined => {
  const [, traceId = '', spanId = '', flags = ''] = form.exec(trail) ?? [];
  if (traceId === '' || nothing.test(traceId) || nothing.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
};

/** Whether it is one that is exported. */
export const isSampled = (trail: string | undefined): trail is TraceContext =>
  trail !== undefined && ((parseTraceContext(trail)?.flags ?? 0) & 1) === 1;
