import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => vi.restoreAllMocks());

// Without its package the program only says what it needs, as in `npm run examples`.
it('examples/shell.ts asserts and prints what it shows', async () => {
  const log = vi.spyOn(console, 'log').mockReturnValue();
  await import('../../examples/shell.ts');
  expect(log.mock.calls).toEqual([
    ['ok: the edit of the failing command is gone, that of the passing one is kept'],
  ]);
});
