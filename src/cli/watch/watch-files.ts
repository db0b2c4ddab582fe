/** How often files are looked at: notices of changes do not exist on every file system. */
const pollMs = 100;
/** How long nothing has changed any more, before a change counts: programs write several files, and one in several steps. */
const settledMs = 200;

/** What watching takes from outside. */
export interface WatchSources {
  /** Calls back once after a delay in milliseconds, unless the returned function is called before. Keeps the process alive. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
  /** What changes when a file does; empty for one that is not there. */
  readonly stampOf: (path: string) => string;
}

/** Files that are watched. */
export interface Watch {
  /** Resolves with a file that has changed, once no other one changes. */
  readonly changed: Promise<string>;
  /** Ends it. `changed` does not settle any more. */
  stop(): void;
}

/** Watches files from now on. */
export function watchFiles(paths: readonly string[], { after, stampOf }: WatchSources): Watch {
  const stampsNow = (): readonly string[] => paths.map(stampOf);
  let stamps = stampsNow();
  let first: string | undefined;
  let quietMs = 0;
  let cancel = (): void => undefined;
  const changed = new Promise<string>((resolve) => {
    const look = (): void => {
      const now = stampsNow();
      const changedNow = paths.find((_path, index) => now[index] !== stamps[index]);
      stamps = now;
      first ??= changedNow;
      quietMs = changedNow === undefined ? quietMs + pollMs : 0;
      if (first !== undefined && quietMs >= settledMs) resolve(first);
      else cancel = after(pollMs, look);
    };
    cancel = after(pollMs, look);
  });
  return { changed, stop: () => cancel() };
}
