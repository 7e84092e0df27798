import { RE2JS } from 're2js';
import { type Frame, readStreamNo } from '../log/frames.ts';
import { type StreamStore } from '../streams/stream-store.ts';
import { readEventType } from '../streams/event-codec.ts';
import { invalidArgument } from './errors.ts';
import { type FilterRequest } from './read-codec.ts';

/** Internal streams of EventStoreDB. Reads of $all never return their events. */
const hiddenStreams = /^(\$epoch-information$|\$persistentsubscription-\$all::.*-(checkpoint|parked)$)/;

const maxCachedTypes = 4096;

/** Together with `maxInstructions`, limits the time to match one name to some milliseconds. */
const maxExpressionBytes = 1024;
/** Repetitions such as `{1000}` increase the number of instructions. */
const maxInstructions = 1000;
const maxPrefixes = 1000;

/** RE2 needs time in proportion to the length of the text, whatever the expression, so a filter cannot block the node. */
const compileExpression = (regex: string): ((text: string) => boolean) => {
  if (Buffer.byteLength(regex) > maxExpressionBytes)
    throw invalidArgument(`The filter's regular expression is longer than ${maxExpressionBytes} bytes`);
  const pattern = parseExpression(regex);
  if (pattern.programSize() > maxInstructions)
    throw invalidArgument(`The filter's regular expression repeats too much: ${regex}`);
  return (text) => pattern.test(text);
};

const parseExpression = (regex: string): RE2JS => {
  try {
    return RE2JS.compile(regex);
  } catch (error) {
    throw invalidArgument(`The filter is not a regular expression in RE2 syntax: ${(error as Error).message}`);
  }
};

const createMatcher = ({ regex, prefixes }: FilterRequest): ((text: string) => boolean) => {
  if (regex !== '') return compileExpression(regex);
  if (prefixes.length > maxPrefixes) throw invalidArgument(`The filter has more than ${maxPrefixes} prefixes`);
  return (text) => prefixes.some((prefix) => text.startsWith(prefix));
};

export class EventFilter {
  readonly #store: StreamStore;
  readonly #streams = new Map<number, boolean>();
  readonly #types = new Map<string, boolean>();
  readonly #onStream: ((name: string) => boolean) | undefined;
  readonly #onType: ((type: string) => boolean) | undefined;

  constructor(store: StreamStore, filter: FilterRequest | undefined) {
    this.#store = store;
    if (filter?.on === 'stream') this.#onStream = createMatcher(filter);
    if (filter?.on === 'type') this.#onType = createMatcher(filter);
  }

  matches(frame: Frame): boolean {
    const streamNo = readStreamNo(frame.bytes, frame.at);
    let isShown = this.#streams.get(streamNo);
    if (isShown === undefined) {
      const name = this.#store.nameOf(streamNo);
      isShown = !hiddenStreams.test(name) && (this.#onStream?.(name) ?? true);
      this.#streams.set(streamNo, isShown);
    }
    return isShown && (this.#onType === undefined || this.#typeMatches(frame, this.#onType));
  }

  #typeMatches(frame: Frame, onType: (type: string) => boolean): boolean {
    const type = readEventType(frame);
    let matches = this.#types.get(type);
    if (matches === undefined) {
      if (this.#types.size >= maxCachedTypes) this.#types.clear();
      matches = onType(type);
      this.#types.set(type, matches);
    }
    return matches;
  }
}

const defaultWindow = 32;

/** `checkpointEvery` is a number of events; 0 means no checkpoints. */
export const createFilter = (
  store: StreamStore,
  request: FilterRequest | 'none' | undefined,
): { readonly filter: EventFilter; readonly window: number; readonly checkpointEvery: number } => {
  if (request === undefined) throw invalidArgument('The filter option is missing');
  if (request === 'none')
    return { filter: new EventFilter(store, undefined), window: defaultWindow, checkpointEvery: 0 };
  if (request.on === undefined) throw invalidArgument('The filter names neither stream nor event type');
  if (request.window === undefined) throw invalidArgument('The filter has no window');
  if (request.checkpointIntervalMultiplier === 0)
    throw invalidArgument('The checkpoint interval multiplier must be above 0');
  const window = request.window === 'count' ? defaultWindow : Math.max(1, request.window);
  return {
    filter: new EventFilter(store, request),
    window,
    checkpointEvery: window * request.checkpointIntervalMultiplier,
  };
};
