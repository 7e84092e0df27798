export interface Gate {
  /** Resolves when the gate is open. */
  readonly opened: Promise<void>;
  open(): void;
}

/** Creates a gate that holds work until a test opens it. */
export const createGate = (): Gate => {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
};
