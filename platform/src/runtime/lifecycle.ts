export type StopFunction = () => Promise<void> | void;

export interface ProcessLifecycle {
  /** Opens one part; when that fails, everything opened before it is closed again. */
  start<Part>(open: () => Promise<readonly [Part, StopFunction]> | readonly [Part, StopFunction]): Promise<Part>;
  /** Closes all parts, the newest first. Asking twice is harmless; a part that fails to close does not keep the others. */
  stop(): Promise<void>;
}

/** Parts open in order and close in reverse. */
export const createProcessLifecycle = (): ProcessLifecycle => {
  const stops: StopFunction[] = [];
  const stop = async () => {
    const failures: unknown[] = [];
    for (let close = stops.pop(); close; close = stops.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'some parts did not close cleanly');
  };
  return {
    stop,
    async start(open) {
      try {
        const [part, close] = await open();
        stops.push(close);
        return part;
      } catch (error) {
        await stop().catch(() => undefined);
        throw error;
      }
    },
  };
};
