import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A part of a script that runs in a process of its own: what it left, and the signal that ended it. */
export interface PartEnd {
  /** What the part handed to {@link leave}; `undefined` when it was killed before. */
  readonly left: unknown;
  readonly signal: string | null;
}

/**
 * Starts the script again with an argument and waits for the end of that process.
 *
 * @param script `import.meta.url` of the script
 * @throws {Error} when the part ends with an error of its own
 */
export async function startPart(script: string, part: string): Promise<PartEnd> {
  const child = fork(new URL(script), [part], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  let left: unknown;
  child.on('message', (message) => {
    left = message;
  });
  const [code, signal] = await once(child, 'exit');
  if (signal === null && code !== 0) throw new Error(`The part "${part}" ended with ${code}.`);
  return { left, signal };
}

/** Which part of its script this process is; `undefined` in the process that starts the others. */
export const currentPart: string | undefined = process.argv[2];

/** Ends a part with what the other process is to know. */
export async function leave(value: unknown): Promise<never> {
  await new Promise((sent) => process.send?.({ value }, sent));
  process.exit(0);
}

/** What a part left. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- The other part of the script says what it is.
export function leftBy<Value>({ left }: PartEnd): Value {
  // Both processes run the same script.
  return (left as { readonly value: Value }).value;
}
