import { expect, it } from 'vitest';
import { Disposals } from '../../../../src/cli/process/disposals.ts';

it('closes what was given last first, each once, whatever throws', async () => {
  const closed: string[] = [];
  const disposals = new Disposals();
  disposals.defer(() => closed.push('first'));
  const resource = {
    [Symbol.asyncDispose]: async () => {
      closed.push('second');
      throw new Error('second failed');
    },
  };
  expect(disposals.use(resource)).toBe(resource);
  disposals.defer(() => {
    closed.push('third');
    throw new Error('third failed');
  });
  await expect(disposals[Symbol.asyncDispose]()).rejects.toThrow('third failed');
  expect(closed).toEqual(['third', 'second', 'first']);
  await disposals[Symbol.asyncDispose]();
  expect(closed).toHaveLength(3);
});
