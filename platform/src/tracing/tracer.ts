/** A place in a trace, as W3C Trace Context writes it: `00-<trace>-<span>-<flags>`. */
export type Trail = string;

export type Attributes = Readonly<Record<string, string | number>>;

export interface SpanAsked {
  /** Few of them: the ids of things are attributes. */
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'work';
  readonly attributes: Attributes;
  /**
   * `new` begins a trace, a trail goes on with its own (one that cannot be read begins one). Without it the span stands within
   * the one that is under way, and where none is nobody is told of it.
   */
  readonly from?: Trail | undefined;
  readonly links?: readonly Trail[];
}

/** A span that is under way. */
export interface OpenSpan {
  /** What is done meanwhile, however late, stands within it. */
  within<T>(work: () => T): T;
  note(attributes: Attributes): void;
  /** Of an error its kind is told and no word of it: words may hold anything. */
  failed(error: unknown): void;
  end(): void;
}

/** Who makes spans. There is none in a process that exports no traces. */
export interface Tracer {
  open(asked: SpanAsked): OpenSpan | undefined;
  note(attributes: Attributes): void;
  here(): Trail | undefined;
  /** Does work that belongs to nobody who is under way. */
  outside<T>(work: () => T): T;
}
