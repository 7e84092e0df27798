/** A place in a trace, as W3C Trace Context writes it: `00-<trace>-<span>-<flags>`. */
export type TraceContext = string;

export type SpanAttributes = Readonly<Record<string, string | number>>;

export interface SpanOptions {
  /** Few of them: the ids of things are attributes. */
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'work';
  readonly attributes: SpanAttributes;
  /**
   * `new` begins a trace, a trail goes on with its own (one that cannot be read begins one). Without it the span stands within
   * the one that is under way, and where none is nobody is told of it.
   */
  readonly parent?: TraceContext | undefined;
  readonly links?: readonly TraceContext[];
}

/** A span that is under way. */
export interface OpenSpan {
  /** What is done meanwhile, however late, stands within it. */
  run<T>(work: () => T): T;
  setAttributes(attributes: SpanAttributes): void;
  /** Of an error its kind is told and no word of it: words may hold anything. */
  recordError(error: unknown): void;
  end(): void;
}

/** Who makes spans. There is none in a process that exports no traces. */
export interface Tracer {
  open(asked: SpanOptions): OpenSpan | undefined;
  setAttributes(attributes: SpanAttributes): void;
  currentContext(): TraceContext | undefined;
  /** Does work that belongs to nobody who is under way. */
  runOutside<T>(work: () => T): T;
}
