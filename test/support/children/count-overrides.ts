import { LocalOverridesStore } from '../../../src/host/overrides/local-overrides-store.ts';

// Started as a process of its own: counts up in an overrides file, one update for each number, and says when it has begun.
const [root = '', stateDirectory = '', times = '0'] = process.argv.slice(2);
const store = new LocalOverridesStore({ root, stateDirectory });
const prompt = { ns: 'a/b', key: 'c' };
for (let count = 0; count < Number(times); count += 1) {
  await store.update(prompt, 'latest', (current) => {
    const { hash = '', text = '0' } = current?.sections['counter']?.body ?? {};
    const body = { hash, text: String(Number(text) + 1) };
    return { version: 1, ...prompt, tag: 'latest', sections: { counter: { body } }, tools: {} };
  });
  if (count === 0) process.stdout.write('begun\n');
}
