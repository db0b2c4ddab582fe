import { counted } from '../../core/internal/index.ts';
import type { Clock } from '../../core/session/index.ts';

/** How long a line that was printed is not printed again. */
const everyMs = 60_000;
/** Most different lines that are known at a time. */
const maxLines = 100;

/**
 * Prints each line at once, and the same one again after a minute at the earliest, with how often it came meanwhile: a database that is away fails every
 * question that is asked meanwhile.
 */
export function withoutRepetition(
  say: (line: string) => void,
  clock: Pick<Clock, 'now'>,
): (line: string) => void {
  /** The oldest first. */
  const known = new Map<string, { readonly saidMs: number; repeated: number }>();
  return (line) => {
    const now = clock.now();
    const last = known.get(line);
    if (last !== undefined && now - last.saidMs < everyMs) {
      last.repeated += 1;
      return;
    }
    const times =
      last === undefined || last.repeated === 0 ? '' : ` (${counted(last.repeated, 'more time')} meanwhile)`;
    known.delete(line);
    known.set(line, { saidMs: now, repeated: 0 });
    const [oldest] = known.keys();
    if (known.size > maxLines && oldest !== undefined) known.delete(oldest);
    say(`${line}${times}`);
  };
}
