import { describe, expectTypeOf, it } from 'vitest';
import { Session } from 'weakincentives';
import { type MemoryFile, type MemorySectionOptions, memorySection } from 'weakincentives/tools';

describe('memorySection', () => {
  it('says what its slice holds', () => {
    const memory = memorySection({ maxFiles: 3, seed: { a: 'x', b: new Uint8Array() } });
    const file = new Session().slice(memory.files).get('/memories/a');
    expectTypeOf(file?.text).toEqualTypeOf<string | undefined>();
    expectTypeOf<keyof MemoryFile>().toEqualTypeOf<'path' | 'text' | 'bytes'>();
    expectTypeOf<MemoryFile['bytes']>().toEqualTypeOf<number>();
  });

  it('refuses options that it does not have', () => {
    // @ts-expect-error: the limits are options of the section itself.
    memorySection({ limits: { maxFiles: 3 } });
    expectTypeOf<MemorySectionOptions['seed']>().toEqualTypeOf<
      Readonly<Record<string, string | Uint8Array>> | undefined
    >();
  });
});
