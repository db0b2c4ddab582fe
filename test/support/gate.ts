/** A door that a handler waits at until the test opens it. */
export interface Gate {
  /** Resolves once the gate is open. Tells the test that someone has arrived. */
  pass(): Promise<void>;
  /** Resolves once someone waits at the gate. */
  readonly reached: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let open: () => void = () => undefined;
  let arrive: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  return {
    pass: () => {
      arrive();
      return opened;
    },
    reached,
    open: () => open(),
  };
}
