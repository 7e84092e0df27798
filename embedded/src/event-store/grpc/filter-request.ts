import type { ProtobufReader } from '../protobuf/wire-reader.ts';

export interface FilterRequest {
  readonly on: 'stream' | 'type' | undefined;
  readonly regex: string;
  readonly prefixes: readonly string[];
  /** Events looked at a page; 'count' leaves it to the server, undefined is an error of the caller. */
  readonly window: number | 'count' | undefined;
  readonly checkpointIntervalMultiplier: number;
}

export const readFilter = (options: ProtobufReader): FilterRequest => {
  const filter = { on: undefined as FilterRequest['on'], regex: '', prefixes: [] as string[] };
  let window: FilterRequest['window'];
  let checkpointIntervalMultiplier = 0;
  for (let tag = options.tag(); tag !== 0; tag = options.tag()) {
    if (tag === 10 || tag === 18) {
      filter.on = tag === 10 ? 'stream' : 'type';
      const expression = options.message();
      for (let inner = expression.tag(); inner !== 0; inner = expression.tag()) {
        if (inner === 10) filter.regex = expression.text();
        else if (inner === 18) filter.prefixes.push(expression.text());
        else expression.skip(inner);
      }
    } else if (tag === 24) window = options.number();
    else if (tag === 40) checkpointIntervalMultiplier = options.number();
    else {
      if (tag === 34) window = 'count';
      options.skip(tag);
    }
  }
  return { ...filter, window, checkpointIntervalMultiplier };
};
