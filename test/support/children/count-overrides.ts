import { OverridesError } from '../../../src/core/error/index.ts';
import { LocalOverridesStore } from '../../../src/host/overrides/local-overrides-store.ts';

// Started as a process of its own: counts up in an overrides file, one update for each number, and says when it has begun.
const [root = '', stateDirectory = '', times = '0'] = process.argv.slice(2);
const store = new LocalOverridesStore({ root, stateDirectory });
const prompt = { ns: 'a/b', key: 'c' };

async function countUp(): Promise<void> {
  await store.update(prompt, 'latest', (current) => {
    const { hash = '', text = '0' } = current?.sections['counter']?.body ?? {};
    const body = { hash, text: String(Number(text) + 1) };
    return { version: 1, ...prompt, tag: 'latest', sections: { counter: { body } }, tools: {} };
  });
}

/** Whether others have changed the files for longer than an update waits, on a slow disk: nothing was counted then. */
const isHeldUp = (error: unknown): boolean =>
  OverridesError.isInstance(error) && error.code === 'overrides-conflicting';

for (let count = 0; count < Number(times); ) {
  try {
    await countUp();
  } catch (error) {
    if (!isHeldUp(error)) throw error;
    continue;
  }
  if (count === 0) process.stdout.write('begun\n');
  count += 1;
}
