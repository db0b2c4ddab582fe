/** The followers of a signal, which share its one listener. */
interface Following {
  readonly followers: Set<() => void>;
  readonly onAbort: () => void;
}

/**
 * Signals are the user's own objects, so that what is known of one is kept beside it. Each copy of the package has its own: then a signal has
 * a listener for each of them, and nothing else differs.
 */
const followings = new WeakMap<AbortSignal, Following>();

/**
 * Calls `follower` once when the signal is aborted, at once if it is; it must not throw. A caller's signal may be that of
 * many runs and calls and outlive them all: they share one listener, of which platforms warn only when there are many, and the
 * last of them removes it, while `AbortSignal.any` leaks memory.
 *
 * @returns ends it.
 */
export function followSignal(signal: AbortSignal, follower: () => void): () => void {
  if (signal.aborted) {
    follower();
    return () => undefined;
  }
  const { followers, onAbort } = followings.get(signal) ?? begin(signal);
  // Two may follow with the same function.
  const own = (): void => follower();
  followers.add(own);
  return () => {
    if (!followers.delete(own) || followers.size > 0) return;
    signal.removeEventListener('abort', onAbort);
    followings.delete(signal);
  };
}

function begin(signal: AbortSignal): Following {
  const followers = new Set<() => void>();
  const following: Following = {
    followers,
    onAbort: () => {
      followings.delete(signal);
      for (const follower of [...followers]) {
        // One that went before may have ended it.
        if (followers.delete(follower)) follower();
      }
    },
  };
  signal.addEventListener('abort', following.onAbort, { once: true });
  followings.set(signal, following);
  return following;
}
