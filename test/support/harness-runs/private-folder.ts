import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that only the test has. */
export interface PrivateFolder extends AsyncDisposable {
  readonly path: string;
}

export async function privateFolder(): Promise<PrivateFolder> {
  const path = await mkdtemp(join(tmpdir(), 'wink-harness-'));
  return {
    path,
    // A program that has just ended may still close its files.
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 10 }),
  };
}
