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
  /** How many files there are. */
  readonly count: () => number;
  /** Watches more files, from now on. */
  add(paths: readonly string[]): void;
  /** Ends it. `changed` does not settle any more. */
  stop(): void;
}

/** Watches files from now on. */
export function watchFiles(paths: readonly string[], { after, stampOf }: WatchSources): Watch {
  const stamps = new Map<string, string>();
  const add = (more: readonly string[]): void => {
    for (const path of more) if (!stamps.has(path)) stamps.set(path, stampOf(path));
  };
  add(paths);
  let first: string | undefined;
  let quietMs = 0;
  let cancel = (): void => undefined;
  const changed = new Promise<string>((resolve) => {
    const look = (): void => {
      let changedNow: string | undefined;
      for (const [path, before] of stamps) {
        const now = stampOf(path);
        if (now === before) continue;
        stamps.set(path, now);
        changedNow ??= path;
      }
      first ??= changedNow;
      quietMs = changedNow === undefined ? quietMs + pollMs : 0;
      if (first !== undefined && quietMs >= settledMs) resolve(first);
      else cancel = after(pollMs, look);
    };
    cancel = after(pollMs, look);
  });
  return { changed, count: () => stamps.size, add, stop: () => cancel() };
}
